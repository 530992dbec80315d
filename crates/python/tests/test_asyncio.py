"""Sleeps of event loops: python -m unittest, in any CPython that the module supports."""

import asyncio
import gc
import os
import random
import selectors
import subprocess
import sys
import threading
import unittest
from unittest import mock

import chronoscope_clock as cc
from chronoscope_clock import _asyncio

try:
    import uvloop
except ImportError:
    uvloop = None

PATIENCE = 60


def run(main, new_loop=asyncio.new_event_loop):
    loop = new_loop()
    try:
        return loop.run_until_complete(asyncio.wait_for(main, PATIENCE))
    finally:
        loop.close()


def descriptors():
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


class Sleeps(unittest.TestCase):
    def never_early(self, new_loop=asyncio.new_event_loop):
        async def main():
            for seconds in (0, 0.00001, 0.0003, 0.002, 0.15):
                begin = cc.Instant.now()
                waited = await cc.sleep(seconds)
                took = begin.elapsed_ns()
                self.assertGreaterEqual(took, int(seconds * 1e9))
                self.assertLessEqual(waited.late_ns, took)
                self.assertLessEqual(waited.slept_ns + waited.spun_ns, took)
            deadline = cc.Instant.now() + 0.01
            for _ in range(2):
                waited = await cc.sleep_until(deadline)
                self.assertGreaterEqual(cc.Instant.now(), deadline)
            self.assertEqual(waited.slept_ns, 0)

        run(main(), new_loop)

    def test_a_sleep_is_never_early_and_says_what_happened(self):
        self.never_early()

    def test_nor_is_one_next_to_busy_processes(self):
        line = [sys.executable, "-c", "while True: pass"]
        busy = [subprocess.Popen(line) for _ in range(2 * (os.cpu_count() or 1))]
        try:
            for _ in range(5):
                self.never_early()
        finally:
            for one in busy:
                one.kill()
                one.wait()

    def test_every_kind_of_loop_will_do(self):
        for name in ("SelectSelector", "PollSelector", "EpollSelector", "KqueueSelector"):
            if selector := getattr(selectors, name, None):
                loop = lambda selector=selector: asyncio.SelectorEventLoop(selector())
                with self.subTest(name):
                    self.never_early(loop)
        if hasattr(asyncio, "ProactorEventLoop"):
            self.never_early(asyncio.ProactorEventLoop)
        if uvloop:
            self.never_early(uvloop.new_event_loop)

    def test_a_loop_that_watches_no_descriptors_sleeps_itself(self):
        def loop():
            made = asyncio.new_event_loop()
            made.add_reader = mock.Mock(side_effect=NotImplementedError)
            return made

        self.never_early(loop)

    def test_what_is_no_duration_is_refused(self):
        async def main():
            for wrong in (-1, float("nan")):
                with self.assertRaises(ValueError):
                    await cc.sleep(wrong)
            for wrong in (1e15, 1e20, float("inf")):
                with self.assertRaises(OverflowError):
                    await cc.sleep(wrong)
            with self.assertRaises(TypeError):
                await cc.sleep("1")

        run(main())
        with self.assertRaises(RuntimeError):
            cc.sleep(0).send(None)

    def test_other_tasks_run_meanwhile(self):
        async def main():
            turns = 0

            async def other():
                nonlocal turns
                while True:
                    turns += 1
                    await asyncio.sleep(0)

            task = asyncio.ensure_future(other())
            for seconds in (0, 0.00001, 0.0001, 0.005):
                before = turns
                await cc.sleep(seconds)
                self.assertGreater(turns, before, seconds)
            task.cancel()

        run(main())

    def test_many_sleep_at_once(self):
        async def main():
            async def one(seconds):
                deadline = cc.Instant.now() + seconds
                await cc.sleep_until(deadline)
                return cc.Instant.now() >= deadline

            times = [random.uniform(0, 0.05) for _ in range(300)]
            self.assertTrue(all(await asyncio.gather(*map(one, times))))
            self.assertEqual(_asyncio._alarm(asyncio.get_running_loop()).sleepers, [])

        run(main())

    def test_a_sleep_can_be_cancelled(self):
        async def main():
            begin = cc.Instant.now()
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(cc.sleep(3600), 0.01)
            tasks = [asyncio.ensure_future(cc.sleep(3600 + n)) for n in range(1000)]
            await cc.sleep(0.005)
            alarm = _asyncio._alarm(asyncio.get_running_loop())
            for task in tasks[:-1]:
                task.cancel()
            await asyncio.wait(tasks[:-1])
            self.assertTrue(all(task.cancelled() for task in tasks[:-1]))
            self.assertLess(len(alarm.sleepers), 100)
            # Whatever is left of them wakes nobody, and holds nobody up.
            await cc.sleep(0.002)
            self.assertFalse(tasks[-1].done())
            tasks[-1].cancel()
            await asyncio.wait(tasks[-1:])
            self.assertLess(begin.elapsed(), 3600)

        run(main())

    def test_a_cancelled_sleep_that_was_first_leaves_the_others_theirs(self):
        async def main():
            first = asyncio.ensure_future(cc.sleep(0.01))
            second = asyncio.ensure_future(cc.sleep(0.02))
            await asyncio.sleep(0)
            first.cancel()
            await second
            self.assertTrue(first.cancelled())

        run(main())

    def test_an_abandoned_sleep_is_forgotten(self):
        async def main():
            coroutine = cc.sleep(3600)
            coroutine.send(None)
            alarm = _asyncio._alarm(asyncio.get_running_loop())
            self.assertEqual(len(alarm.sleepers), 1)
            coroutine.close()
            self.assertEqual(alarm.sleepers, [])
            await cc.sleep(0.001)

        run(main())

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "the system does not list descriptors")
    def test_no_descriptor_outlives_its_loop(self):
        run(cc.sleep(0.001))
        before = descriptors()
        for _ in range(20):
            run(cc.sleep(0.0005))
        self.assertLessEqual(descriptors(), before)
        # Not even that of a loop that was closed while somebody slept.
        for _ in range(20):
            loop = asyncio.new_event_loop()
            task = loop.create_task(cc.sleep(3600))
            loop.run_until_complete(asyncio.sleep(0))
            self.assertFalse(task.done())
            task._log_destroy_pending = False
            loop.close()
            del loop, task
        run(cc.sleep(0.0005))
        self.assertLessEqual(descriptors(), before)

    def test_each_thread_has_a_loop(self):
        early = []

        def thread():
            for _ in range(3):
                begin = cc.Instant.now()
                run(cc.sleep(0.002))
                early.append(begin.elapsed() < 0.002)

        threads = [threading.Thread(target=thread) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(PATIENCE)
        self.assertEqual(early, [False] * 18)

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_a_child_does_not_set_its_parents_timer(self):
        loop = asyncio.new_event_loop()
        loop.run_until_complete(cc.sleep(0.001))
        child = os.fork()
        if child == 0:
            os._exit(0 if self.sleeps(asyncio.new_event_loop(), 20) else 1)
        self.assertTrue(self.sleeps(loop, 20))
        loop.close()
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def sleeps(self, loop, count):
        begin = cc.Instant.now()
        for _ in range(count):
            loop.run_until_complete(asyncio.wait_for(cc.sleep(0.001), PATIENCE))
        return begin.elapsed() >= count * 0.001

    def test_ticks_stay_on_their_grid(self):
        async def main():
            begin, ticks = cc.Instant.now(), []
            async for tick in cc.Ticker(0.002):
                ticks.append(tick)
                if tick.number >= 5:
                    break
            self.assertGreaterEqual(begin.elapsed(), 0.002 * ticks[-1].number)
            self.assertEqual(ticks[-1].number, len(ticks) + sum(tick.missed for tick in ticks))
            # A tick that was given up is waited for again.
            ticker = cc.Ticker(3600)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(ticker.__anext__(), 0.001)
            self.assertEqual(ticker._due().ns_since(cc.Instant.now()) // 10**12, 3)

        run(main())


if __name__ == "__main__":
    unittest.main()

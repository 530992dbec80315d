//! Checks that the overhead of a clock is measured around the same machine code with and without
//! reads: the loop that times some work, and the loop of its baseline, call one function.

use super::code::{Function, Instruction};
use anyhow::{Context, Result, bail};

/// Checks both loops, and returns the name of the function that they call.
pub fn check<'a>(timed: &Function, baseline: &'a Function) -> Result<&'a str> {
    let (code, call) = baseline
        .loops()
        .find_map(|code| Some((code, code.iter().find(|instruction| instruction.is_call())?)))
        .with_context(|| format!("the loop of {} calls nothing", baseline.name))?;
    let Some(work) = baseline.callee(call) else {
        bail!("{} calls a function without a name", baseline.name);
    };
    if code.iter().filter(|instruction| instruction.is_call()).count() > 1 {
        bail!("the loop of {} calls more than {work}", baseline.name);
    }
    let calls_it = |it: &&Instruction| it.is_call() && timed.callee(it) == Some(work);
    let calls = |code: &[Instruction]| code.iter().filter(calls_it).count();
    match timed.loops().map(calls).find(|calls| *calls > 0) {
        Some(1) => Ok(work),
        Some(calls) => bail!("{} calls {work} {calls} times per iteration", timed.name),
        None => bail!("{} does not call {work}, as its baseline does", timed.name),
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::Flow;
    use super::*;

    /// A loop that calls these functions.
    fn calling(callees: &[&str]) -> Function {
        let calls = callees.iter().map(|callee| (Flow::Call(None), Some(*callee)));
        let all = calls.chain([(Flow::Jump(Some(0)), None)]);
        let code = all.enumerate().map(|(at, (flow, callee))| Instruction {
            address: at as u64,
            mnemonic: "it".into(),
            operands: String::new(),
            flow,
            slot: None,
            register: None,
            symbol: callee.map(str::to_owned),
        });
        Function { name: "around".into(), code: code.collect() }
    }

    #[test]
    fn both_loops_must_call_one_function() {
        let baseline = calling(&["sum"]);
        assert_eq!(check(&calling(&["now", "sum", "now"]), &baseline).unwrap(), "sum");
        check(&calling(&["sum"]), &baseline).unwrap();
        for other in [&["now", "now"][..], &["sum", "sum"], &[]] {
            check(&calling(other), &baseline).unwrap_err();
        }
    }

    #[test]
    fn a_baseline_must_call_nothing_else() {
        check(&calling(&["sum"]), &calling(&[])).unwrap_err();
        check(&calling(&["sum"]), &calling(&["sum", "now"])).unwrap_err();
    }
}

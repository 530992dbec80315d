//! What is written and kept, and what that looks like on a disk.

use super::samples::{MS, events, late, start, waits};
use super::tests::{read, written};
use super::{Keep, Keeper, Reader, Writer, report};
use chronoscope_model::recording::{Event, LoadSince, Pause};
use chronoscope_model::waits::Load;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A disk with this much room.
struct Disk {
    room: usize,
    bytes: Vec<u8>,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let some = bytes.len().min(self.room - self.bytes.len());
        if some == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(&bytes[..some]);
        Ok(some)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_one_line_and_what_was_written_can_be_read() {
    let begin = written(&[start()]).len();
    let mut disk = Disk { room: begin + 200, bytes: Vec::new() };
    let mut writer = Writer::new(&mut disk, Path::new("/tmp/x"), u64::MAX);
    writer.write([&start()]);
    for n in 0..20 {
        writer.write([&waits(0, n, &[5])]);
    }
    let why = writer.status.ended.clone().expect("it is full");
    assert!(writer.status.failed && why.starts_with("cannot write /tmp/x: "), "{why}");
    assert!(!why.contains('\n') && writer.status.bytes <= begin as u64 + 200);
    let (read, left_out, cut) = read(&disk.bytes).expect("a recording");
    assert!(read.len() >= 3 && left_out == 0 && cut, "{}", read.len());
}

#[test]
fn at_the_limit_the_last_line_says_so() {
    let (mut bytes, limit) = (Vec::new(), 3_000);
    let mut writer = Writer::new(&mut bytes, Path::new("x"), limit);
    writer.write([&start()]);
    for n in 0..100 {
        writer.write([&waits(0, n, &[5; 10])]);
    }
    assert!(
        writer.status.ended.as_ref().is_some_and(|why| why.contains("3000"))
            && !writer.status.failed
    );
    assert!(bytes.len() as u64 <= limit);
    let (read, left_out, cut) = read(&bytes).expect("a recording");
    assert_eq!((left_out, cut), (0, false));
    assert!(matches!(read.last(), Some(Event::Note(at)) if at.note.id == "record-limit"));
}

#[test]
fn names_of_other_users_are_written_only_if_asked_for() {
    let named = |names: bool| {
        let mut bytes = Vec::new();
        Writer::new(&mut bytes, Path::new("x"), u64::MAX)
            .names(names)
            .write(&[start(), late(0, 1, 9)]);
        let text = String::from_utf8(bytes).expect("JSON");
        assert!(!text.contains('\u{1b}'), "it is escaped");
        ["task 1", "task 2"].map(|name| text.contains(name))
    };
    assert_eq!((named(false), named(true)), ([true, false], [true, true]));
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn keep(folder: &tempfile::TempDir) -> Keep {
    Keep {
        hindsight: Duration::from_millis(100),
        stop_above: Some(Duration::from_millis(1)),
        record: Some(folder.path().into()),
        ..Keep::default()
    }
}

fn files(folder: &tempfile::TempDir) -> usize {
    fs::read_dir(folder.path()).expect("a folder").count()
}

#[test]
fn a_breach_writes_the_past_once_it_is_explained() {
    let folder = folder();
    let mut keeper = Keeper::new(Keep { go_on: true, ..keep(&folder) }).expect("a folder");
    assert_eq!((files(&folder), keeper.goes_on()), (0, true));
    assert_eq!(keeper.take(&[start(), Event::Load(LoadSince::default())]), None);
    for n in 0..30 {
        assert_eq!(keeper.take(&[waits(0, n * 10, &[5; 10])]), None);
    }
    // It is not explained yet, and what explains it comes with the next drain.
    assert_eq!(keeper.take(&[waits(1, 300, &[7, 2_000_000])]), None);
    let line = keeper.take(&[late(1, 301, 2_000_000)]).expect("explained");
    let (what, path) = line.split_once(" late: the time before it is in ").expect("room");
    assert_eq!(what, "some/wait ended 2.00 ms");
    let path = PathBuf::from(path);
    let (read, left_out, cut) = read(&fs::read(&path).expect("a file")).expect("a recording");
    assert_eq!((left_out, cut), (0, false));
    let oldest = read.iter().skip(2).map(Event::at_ns).min();
    assert_eq!((oldest, read.last()), (Some(201 * MS), Some(&withheld(late(1, 301, 2_000_000)))));
    // What follows at once belongs to it; what comes later does not.
    assert_eq!(keeper.take(&[waits(1, 310, &[3_000_000]), late(1, 310, 3_000_000)]), None);
    let second = keeper.take(&[waits(1, 402, &[3_000_000]), late(1, 402, 3_000_000)]);
    assert!(!second.expect("explained").ends_with(&path.display().to_string()));
    let saved = keeper.save().expect("room");
    assert!(files(&folder) == 3 && keeper.status().is_none());
    assert!(saved.is_file());
    #[cfg(unix)]
    for path in [path, saved] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

fn withheld(mut event: Event) -> Event {
    if let Event::Late(late) = &mut event {
        late.wake.withhold_names();
    }
    event
}

#[test]
fn a_breach_that_nothing_explains_is_written_at_the_end() {
    let folder = folder();
    let mut keeper = Keeper::new(keep(&folder)).expect("a folder");
    assert_eq!(keeper.take(&[start(), waits(1, 300, &[2_000_000])]), None);
    drop(keeper);
    assert_eq!(files(&folder), 1);
}

/// Its parts keep their waits; what lies between them is a gap, and in no wait.
#[test]
fn a_recording_goes_on_after_a_gap() {
    let folder = folder();
    let path = folder.path().join("a");
    let keep = || Keep { names: true, ..Keep::default() };
    let mut keeper = Keeper::new(Keep { record: Some(path.clone()), ..keep() }).expect("room");
    keeper.take(&events());
    let refused = || Writer::resume(&path, u64::MAX).err().expect("refused").to_string();
    #[cfg(unix)]
    assert!(refused().ends_with("a: it is still being written"), "{}", refused());
    drop(keeper);
    let mut whole = fs::read(&path).expect("a file");
    let hour = 3_600_000 * MS;
    // The wall clock at the start of a part, when that must begin in the recording, and its gap. It
    // may have been set back.
    for (wall_ns, begins, gap) in [(hour, hour, hour - 9 * MS), (0, hour + 3 * MS, 0)] {
        // The last line was not finished.
        fs::write(&path, [&whole[..], b"{\"event\":\"wai"].concat()).expect("room");
        let (writer, known, load) = Writer::resume(&path, u64::MAX).expect("a recording");
        let Event::Start(mut again) = start() else { panic!("no start") };
        assert_eq!((&known, load), (&*again, Load::Normal));
        again.wall_ns += wall_ns;
        let load = Event::Load(LoadSince { at_ns: 0, load });
        let part = [Event::Start(again), load, waits(0, 1, &[5, 6, 7]), late(0, 3, 7)];
        let before = read(&whole).expect("a recording").0.len();
        let mut keeper = Keeper::resume(keep(), writer);
        assert_eq!(keeper.take(&part), None);
        drop(keeper);
        let bytes = fs::read(&path).expect("a file");
        assert!(bytes.starts_with(&whole));
        let (all, left_out, cut) = read(&bytes).expect("a recording");
        assert_eq!((left_out, cut), (0, false));
        let [pause, note, rest @ ..] = &all[before..] else { panic!("{all:?}") };
        let at_ns = begins - gap;
        assert_eq!(pause, &Event::Pause(Pause { at_ns, until_ns: begins, is_gap: false }));
        assert!(matches!(note, Event::Note(at) if at.note.id == "resumed" && at.at_ns == begins));
        let times: Vec<u64> = rest.iter().map(|event| event.at_ns() - begins).collect();
        assert_eq!((times, rest[1].until_ns()), (vec![0, MS, 3 * MS], begins + 3 * MS));
        let Event::Late(late) = &rest[2] else { panic!("{rest:?}") };
        assert!((late.wake.at_s * 1e9 - late.at_ns as f64).abs() < 1e3);
        whole = bytes;
    }
    let report = report(Reader::new(&whole[..]).expect("its own")).expect("memory");
    let row = report.waits.iter().find(|row| row.load == Load::Normal).expect("a row");
    assert_eq!((&*row.id, row.samples, row.max_ns), ("some/sleep", 7, 90_000));
    assert_eq!(report.notes.iter().filter(|note| note.id == "resumed").count(), 2);
    let full = Writer::resume(&path, whole.len() as u64).err().expect("full").to_string();
    assert!(full.contains("--record-limit"), "{full}");
    fs::write(&path, "{}").expect("room");
    assert!(refused().contains("not a recording"));
    assert_eq!(fs::read(&path).expect("a file"), b"{}");
}

#[test]
fn no_file_is_replaced_and_what_cannot_be_is_said_at_once() {
    let folder = folder();
    let path = folder.path().join("a");
    fs::write(&path, "old").expect("room");
    let refused = |keep: Keep| Keeper::new(keep).err().expect("refused").to_string();
    for stop_above in [None, Some(Duration::from_millis(1))] {
        let named = Keep { record: Some(path.clone()), stop_above, ..Keep::default() };
        assert!(refused(named).contains(&path.display().to_string()));
    }
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    let elsewhere = Some(folder.path().join("no/such/folder"));
    assert!(refused(Keep { record: elsewhere, ..Keep::default() }).contains("cannot write"));
    let several = Keep { go_on: true, record: Some(folder.path().join("b")), ..keep(&folder) };
    assert!(refused(several).contains("folder"));
    assert!(refused(Keep { limit: 1_000, ..keep(&folder) }).contains("1MiB"));
    // Everything is recorded without a limit of lateness.
    let record = Some(folder.path().join("c"));
    let mut keeper = Keeper::new(Keep { record, ..Keep::default() }).expect("room");
    assert_eq!(keeper.take(&events()), None);
    let status = keeper.status().expect("a recording");
    let bytes = fs::read(&status.path).expect("a file");
    assert_eq!((status.bytes, &status.ended), (bytes.len() as u64, &None));
    assert_eq!(read(&bytes).expect("a recording").0.len(), events().len());
}

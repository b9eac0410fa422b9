//! Tests of `trace.rs`: traces that fio wrote, and the text of every refusal.

use super::*;

/// Written by Debian's fio 3.33: `--rw=randrw --fdatasync=3 --write_iolog=…`.
const BY_FIO: &str = "fio version 3 iolog
17 f1 add
996 f1 open
1006 f1 read 0 4096
1136 f1 read 45056 4096
1601 f1 write 28672 4096
1823 f1 datasync 20480 0
4417 f1 close
";

fn event(at_us: u64, action: Action, offset: u64, len: u32) -> Event {
    Event { at_us, file: 0, action, offset, len }
}

#[test]
fn a_trace_by_fio_is_read_and_written_again_byte_by_byte() {
    let trace = Trace::parse(BY_FIO.as_bytes()).unwrap();
    assert_eq!(trace.files, ["f1"]);
    assert_eq!(trace.events.len(), 7);
    assert_eq!(trace.events[4], event(1601, Action::Write, 28672, 4096));
    assert_eq!(trace.events[5], event(1823, Action::Datasync, 20480, 0));
    let mut writer = TraceWriter::new(Vec::new()).unwrap();
    for Event { at_us, file, action, offset, len } in trace.events {
        let name = &trace.files[file as usize];
        if action.is_of_files() {
            writer.file(at_us, name, action).unwrap();
        } else {
            writer.request(at_us, name, action, offset, len).unwrap();
        }
    }
    assert_eq!(String::from_utf8(writer.finish().unwrap()).unwrap(), BY_FIO);
}

#[test]
fn version_2_has_waits_and_no_times() {
    let text = "fio version 2 iolog\na add\nb add\na open\nb trim 512 1024\na wait 500 0\na sync 0 0\n\na close\n";
    let trace = Trace::parse(text.as_bytes()).unwrap();
    assert!(!trace.timed && trace.files == ["a", "b"]);
    assert_eq!(trace.events[3], Event { file: 1, ..event(0, Action::Trim, 512, 1024) });
    assert_eq!(trace.events[4], event(500_000, Action::Wait, 0, 0));
    assert_eq!(trace.events[5], event(0, Action::Sync, 0, 0));
}

#[test]
fn names_of_actions_are_in_their_order() {
    for (name, action) in Action::ALL {
        assert_eq!((action.name(), Action::parse(name)), (name, Some(action)));
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let refused = |text: &str| Trace::parse(text.as_bytes()).unwrap_err().to_string();
    let v3 = |line: &str| refused(&format!("fio version 3 iolog\n0 f add\n{line}\n"));
    assert_eq!(v3("1 f foo 0 1").split(';').next(), Some("line 3 of the trace: 'foo' is no action"));
    assert_eq!(v3("1 g read 0 1"), "line 3 of the trace: the file 'g' was not added before");
    assert_eq!(v3("1 f read 0"), "line 3 of the trace: 'read' needs an offset and a length, and nothing more");
    assert_eq!(v3("1 f read 0 0"), "line 3 of the trace: 'read' of 0 bytes");
    assert_eq!(v3("1 f read 0 -4"), "line 3 of the trace: '-4' is not a length below 4 GiB");
    assert_eq!(v3("1 f open 0 4"), "line 3 of the trace: nothing follows 'open'");
    assert_eq!(v3("x f read 0 1"), "line 3 of the trace: 'x' is not a time");
    assert_eq!(v3("1 f wait 100 0"), "line 3 of the trace: version 3 has times and no 'wait'");
    assert_eq!(v3("1 f"), "line 3 of the trace: '1 f' has no file and action");
    assert!(v3("fio version 3 iolog").starts_with("line 3 of the trace: a second trace begins here"));
    assert_eq!(v3("1 f open"), "the trace has no request");
    assert!(refused("fio iolog 1\n").ends_with("not with 'fio iolog 1'"));
    assert!(refused("").ends_with("not with ''"));
}

#[test]
fn blktrace_is_refused_by_name_in_either_byte_order() {
    for magic in [0x6561_7407u32.to_le_bytes(), 0x6561_7407u32.to_be_bytes()] {
        assert_eq!(Trace::parse(&[&magic[..], &[0; 100]].concat()), Err(TraceError::Blktrace));
    }
}

#[test]
fn a_replay_is_scaled_aligned_skipped_and_redirected() {
    let text = "fio version 3 iolog\n0 a add\n0 b add\n1 a open\n2 b open\n1000 a read 10000 4096\n2000 b write 8192 512\n\
                3000 b sync 0 0\n3500 b datasync 0 0\n4000 a close\n5000 b close\n";
    let adjusted = |replay: Replay| Trace::parse(text.as_bytes()).unwrap().adjusted(&replay);
    assert_eq!(adjusted(Replay::default()), Trace::parse(text.as_bytes()).unwrap());
    let fast = adjusted(Replay { time_percent: 200, scale: 2, align: 4096, ..Replay::default() });
    assert_eq!(fast.events[4], event(500, Action::Read, 4096, 4096));
    let none = adjusted(Replay { skip: [true, true, false, true], no_stall: true, ..Replay::default() });
    let left: Vec<Action> = none.events.iter().map(|event| event.action).collect();
    let files = [Action::Add, Action::Add, Action::Open, Action::Open, Action::Datasync, Action::Close, Action::Close];
    assert_eq!(left, files);
    assert!(none.events.iter().all(|event| event.at_us == 0));
    let one = adjusted(Replay { redirect: Some("dev".into()), ..Replay::default() });
    assert_eq!(one.files, ["dev"]);
    let actions: Vec<(Action, u64)> = one.events.iter().map(|event| (event.action, event.at_us)).collect();
    assert_eq!((actions.len(), actions[6]), (7, (Action::Close, 5000)));
    assert!(one.events.iter().all(|event| event.file == 0));
}

#[test]
fn names_that_the_format_cannot_hold_are_refused() {
    let mut writer = TraceWriter::new(Vec::new()).unwrap();
    assert_eq!(writer.file(0, "a b", Action::Add).unwrap_err().kind(), io::ErrorKind::InvalidInput);
}

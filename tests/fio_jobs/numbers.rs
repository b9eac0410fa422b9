//! Numbers are what they look like, or are refused: everything that fio misreads without a word.

use crate::support::fio::{json, ours};
use crate::support::room::Room;
use serde_json::Value;

fn run(lines: &str) -> Value {
    let room = Room::new();
    let file = room.file("n.fio", &format!("[a]\nioengine=null\nrw=read\nsize=64k\n{lines}\n"));
    json(&ours(&["--output-format=json", &file]).run().expect(0))
}

#[track_caller]
fn reads(lines: &str, ios: u64) {
    assert_eq!(run(lines)["jobs"][0]["read"]["total_ios"], ios, "{lines}");
}

#[track_caller]
fn refused(lines: &str) {
    let room = Room::new();
    let file = room.file("n.fio", &format!("[a]\nioengine=null\nrw=read\nsize=64k\n{lines}\n"));
    let ended = ours(&["--output-format=json", &file]).run().expect(1).complains(&["n.fio:5:"]);
    assert_eq!(ended.stdout, "", "nothing ran: {ended}");
}

#[test]
fn traps_of_fio_are_errors() {
    for value in ["1.5k", "1e3", "4*1024", "-4k", "4Ki", "4kk", "4k x", "0x", "4096 bytes", ""] {
        refused(&format!("bs={value}"));
    }
    for line in [
        "iodepth=8x",
        "iodepth=-1",
        "numjobs=0",
        "direct=2",
        "direct=yes",
        "direct",
        "runtime=10 s x",
        "rw=READ",
        "RW=read",
    ] {
        refused(line);
    }
    for line in
        ["rwmixread=101", "percentage_random=150", "bssplit=4k/60:8k/60", "rate_iops=1k5", "loops=1.5", "number_ios=5-"]
    {
        refused(line);
    }
}

#[test]
fn blanks_around_the_sign_are_fine() {
    reads("bs = 8k", 8);
    reads("bs =8k", 8);
    reads("bs= 8k", 8);
    reads("  bs\t=\t8k  ", 8);
}

#[test]
fn units_and_comments() {
    reads("bs=8192", 8);
    reads("bs=0x2000", 8);
    reads("bs=8K", 8);
    reads("bs=8k ; a comment", 8);
    reads("bs=8k # a comment", 8);
    reads("bs=4k\nbs=16k", 4);
    reads("bs=(2^13)", 8);
    reads("bs=(4*1024)\nnumber_ios=(1+2)", 3);
    reads("bs=8000\nkb_base=1000\nsize=64k", 8);
    reads("bs=$pagesize", 16);
}

#[test]
fn the_same_on_the_command_line() {
    let base = ["--name=a", "--ioengine=null", "--rw=read", "--size=64k"];
    for value in ["--bs=1.5k", "--bs=1e3", "--bs=-4k", "--iodepth=8x", "--runtime=1hour2"] {
        let ended = ours(&base).args(&[value]).run().expect(1).complains(&["command line:", &value[2..]]);
        assert_eq!(ended.stdout, "");
    }
}

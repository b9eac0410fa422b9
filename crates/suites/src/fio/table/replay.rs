//! Options of traces.

use super::super::options::{Kind, Opt, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt("write_iolog", "", Kind::Text, "", "Write a trace of what was done.").differs("The trace is of version 3."),
    opt("read_iolog", "", Kind::Text, "", "Replay this trace.").differs(
        "fio's text formats, versions 2 and 3; binary traces of blktrace are refused when \
         they are read.",
    ),
    opt("read_iolog_chunked", "", Kind::Bool, "0", "Read the trace piece by piece.")
        .noted("Traces are always read piece by piece."),
    opt("replay_no_stall", "", Kind::Bool, "0", "As fast as possible, without the trace's pauses."),
    opt("replay_redirect", "", Kind::Text, "", "All requests go to this file."),
    opt("replay_scale", "", Kind::Number(1, U32), "1", "Divide offsets by this."),
    opt("replay_align", "", Kind::Size(0, U32), "", "Align offsets to this."),
    opt("replay_time_scale", "", Kind::Number(1, U32), "100", "Speed in percent."),
    opt("replay_skip", "", Kind::Text, "", "Skip these: read, write, trim, sync, separated by commas."),
    opt("merge_blktrace_file", "", Kind::Text, "", "Merge traces of blktrace into this file.")
        .rejected("Binary traces of blktrace are not read."),
    opt("merge_blktrace_scalars", "", Kind::Floats(0, 1000000), "", "Time scales of merged traces.")
        .rejected("Binary traces of blktrace are not read."),
    opt("merge_blktrace_iters", "", Kind::Floats(0, 1000000), "", "Rounds of merged traces.")
        .rejected("Binary traces of blktrace are not read."),
];

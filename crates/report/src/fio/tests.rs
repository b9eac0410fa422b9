//! The numbers that fio 3.33 printed (`tests/fio`), as a Record, and back: the same text.

mod extras;
mod samples;

use super::{Shown, TerseVersion, json, json_plus, json_with_status, normal, terse};
use samples::{Sample, difference, mixed, rich};
use serde_json::Value;

const PLAIN: Shown = Shown { extras: false };

#[test]
fn the_json_is_fios() {
    let ours = json(&mixed(&Sample::json()), &PLAIN).replace("fio-3.42-fsbench-0.0.0", "fio-3.33");
    assert_eq!(difference(include_str!("../../tests/fio/mixed.json"), &ours), "");
}

/// With what no Record of these numbers can have: fio's version, the time, processes.
fn ours(text: &str) -> String {
    let replaced = [
        ("fio-3.42-fsbench-0.0.0", "fio-3.33"),
        ("Fri Nov 20 10:37:38 2026", "Fri Nov 20 22:25:52 2026"),
        ("1795171058175", "1795213552777"),
        ("1795171058", "1795213552"),
        ("\"elapsed\" : 13", "\"elapsed\" : 4"),
        ("threads", "processes"),
    ];
    replaced.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

/// fio divides depths by requests without syncs, and forgot to set the digits of what it mixes.
#[test]
fn normal_output_is_fios() {
    let text = ours(&normal(&rich(&Sample::rich()), &PLAIN));
    insta::assert_snapshot!(difference(include_str!("../../tests/fio/rich.normal.txt"), &text), @r"
    - IO depths    : 1=106.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
    + IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
    - mixed: IOPS=0, BW=0 (0)(0B/5msec)
    + mixed: IOPS=4541k, BW=78.1GiB/s (83.9GB/s)(400MiB/5msec)
    ");
}

#[test]
fn json_plus_is_fios() {
    let text = ours(&json_plus(&rich(&Sample::rich()), &PLAIN));
    insta::assert_snapshot!(difference(include_str!("../../tests/fio/rich.jsonplus"), &text), @r#"
    - "1" : 106.000000,
    + "1" : 100.000000,
    "#);
}

#[test]
fn terse_is_fios() {
    let text = ours(&terse(&rich(&Sample::rich()), TerseVersion::V5, &PLAIN)).replace(';', "\n");
    let theirs = include_str!("../../tests/fio/rich.terse5.txt").replace(';', "\n");
    // The first two are of a bucket with 100 us in it, which this Record knows no closer than fio's bins.
    insta::assert_snapshot!(difference(&theirs, &text), @r"
    - 7.75%
    + 7.65%
    - 87.17%
    + 87.27%
    - 106.0%
    + 100.0%
    ");
}

fn members(value: &Value, path: &str, all: &mut Vec<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            all.push(format!("{path}/{key}"));
            members(value, &format!("{path}/{key}"), all);
        }),
        Value::Array(values) => values.iter().for_each(|value| members(value, &format!("{path}/[]"), all)),
        _ => {}
    }
}

#[test]
fn the_keys_are_fios_and_fsbench() {
    let keys = |text: &str| {
        let mut all = Vec::new();
        members(&serde_json::from_str(text).expect("JSON"), "", &mut all);
        all
    };
    let record = mixed(&Sample::json());
    let theirs = keys(include_str!("../../tests/fio/mixed.json"));
    assert_eq!(keys(&json(&record, &PLAIN)), theirs);
    let mut more = keys(&json(&record, &Shown::default()));
    more.retain(|key| !key.contains("/fsbench"));
    assert_eq!(more, theirs);
}

#[test]
fn terse_lines_have_fios_fields() {
    let record = mixed(&Sample::json());
    let count = |text: &str| text.lines().map(|line| line.split(';').count()).collect::<Vec<usize>>();
    let of = |version| count(&terse(&record, version, &PLAIN));
    // The first line of the samples is a note.
    assert_eq!(of(TerseVersion::V3), count(include_str!("../../tests/fio/mixed.terse3.txt"))[1..]);
    assert_eq!(of(TerseVersion::V5), count(include_str!("../../tests/fio/mixed.terse5.txt"))[1..]);
    // Of fio 3.33 (nine of version 4 are a disk): the description of version 2 is in a line of its own.
    assert_eq!((of(TerseVersion::V2), of(TerseVersion::V4)), (vec![161, 161, 2], vec![171, 172]));
    assert!(TerseVersion::try_from(1).is_err() && TerseVersion::try_from(4) == Ok(TerseVersion::V4));
}

#[test]
fn status_intervals_are_one_document() {
    let record = mixed(&Sample::json());
    let mut half = record.clone();
    half.phases.truncate(1);
    half.phases[0].repetitions[0].elapsed_ns /= 2;
    let text = json_with_status(&record, &[half.clone(), half], &Shown::default());
    let document: Value = serde_json::from_str(&text).expect("one document");
    let status = document["status"].as_array().expect("an array");
    assert_eq!((status.len(), status[0]["jobs"].as_array().map(Vec::len)), (2, Some(1)));
    assert!(status[0].get("fsbench").is_none() && document["fsbench"]["run_id"].is_string());
    assert!(status[0]["timestamp_ms"].as_i64() < document["timestamp_ms"].as_i64());
    assert_eq!(document["jobs"].as_array().map(Vec::len), Some(2));
}

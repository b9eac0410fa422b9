//! The ways to reach a server, and what is said when it cannot be reached or does not let us in.

use crate::server::Server;
use crate::support::call::{Ended, remote};
use crate::support::proxy::Proxy;
use crate::support::room::{error_kinds, errors_of, succeeded};
use crate::support::servers::Place;

const SMALL: [&str; 2] = ["--file_size=1000", "--repetitions=1"];

fn writes_and_reads(place: &Place, more: &[&str]) -> Ended {
    place.remote("create_write", &SMALL).args(more).run().expect(0);
    place.remote("open_read", &["--verify", "--repetitions=1"]).args(more).run().expect(0)
}

#[test]
fn both_spellings_of_a_conf_and_the_name_of_the_file_system() {
    let Some(server) = Server::from_env() else { return };
    for conf in [server.conf(), server.conf_dotted(), server.conf().to_lowercase().replace("true", "TRUE")] {
        let place = server.place_with("spellings", &conf);
        writes_and_reads(&place, &["--fs_type=s3"]).hides(&server.secret_key);
        let record = std::fs::read_to_string(place.room.path("record.json")).expect("a Record");
        assert!(!record.contains(&server.secret_key));
    }
}

#[test]
fn an_endpoint_without_a_scheme_is_http_and_a_note_says_so() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place_with("scheme", &server.conf().replace("http://", ""));
    writes_and_reads(&place, &[]).says(&["http"]);
}

#[test]
fn by_uri_with_keys_from_the_environment_or_a_profile() {
    let Some(server) = Server::from_env() else { return };
    let mut place = server.place("uri");
    place.flags.clear();
    let profile =
        format!("[lab]\naws_access_key_id={}\naws_secret_access_key={}\n", server.access_key, server.secret_key);
    let credentials = place.room.file("credentials", &profile);
    let set = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect::<Vec<_>>();
    let common = [("AWS_ENDPOINT_URL", server.endpoint.as_str()), ("AWS_REGION", &server.region)];
    let keys = [("AWS_ACCESS_KEY_ID", server.access_key.as_str()), ("AWS_SECRET_ACCESS_KEY", &server.secret_key)];
    let file = [("AWS_PROFILE", "lab"), ("AWS_SHARED_CREDENTIALS_FILE", credentials.as_str())];
    for more in [keys, file] {
        place.env = set(&[common, more].concat());
        writes_and_reads(&place, &[]);
        let place_by_scheme = ["--fs_type=s3", &format!("--base_dir={}", place.uri.replace("s3://", "s3a://"))];
        place.remote("exists", &place_by_scheme).run().expect(0).says(&["found 3 of 3"]);
    }
}

#[test]
fn tls_with_an_authority_of_our_own_and_without() {
    let Some((server, authority)) = Server::with_tls() else { return };
    let place = server.place_with("tls", &format!("{}AWS_CA_BUNDLE={authority}\n", server.conf()));
    let ended = writes_and_reads(&place, &[]);
    assert!(place.room.record().phases[0].repetitions[0].kinds.contains_key("tls"), "{ended}");
    let stranger = server.place("tls-unknown");
    let ended = stranger.remote("create_write", &SMALL).run().expect(1).complains(&["certificate"]);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
}

/// A write is refused before anything is measured: one sentence, the code, and no Record that could replace a good one.
#[track_caller]
fn refused(place: &Place, code: i32, parts: &[&str]) {
    let ended = place.remote("create_write", &SMALL).run().expect(code).complains(parts);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    assert!(!place.room.path("record.json").exists(), "{ended}");
}

/// A read of what cannot be reached is counted.
#[track_caller]
fn counted(place: &Place, kind: &str, part: &str) {
    let ended = place.remote("open_read", &["--threads=2", "--repetitions=2"]).run().expect(1).says(&[kind, part]);
    let record = place.room.record();
    assert_eq!((error_kinds(&record), succeeded(&record)), (vec![kind.to_string()], 0), "{ended}");
    assert_eq!((errors_of(&record, kind) % 4, record.complete), (0, true), "each worker, in each repetition");
}

#[test]
fn a_wrong_secret_names_the_key_to_check() {
    let Some(mut server) = Server::from_env() else { return };
    server.secret_key = "wrong-and-secret".into();
    let place = server.place("wrong-secret");
    refused(&place, 2, &["AWS_SECRET_KEY", "SignatureDoesNotMatch"]);
    place.remote("create_write", &SMALL).run().hides("wrong-and-secret");
    place.remote("exists", &["--repetitions=1"]).run().expect(1).hides("wrong-and-secret");
    server.access_key = "nobody".into();
    refused(&server.place("wrong-key"), 2, &["AWS_ACCESS_KEY"]);
}

#[test]
fn without_keys_requests_are_anonymous_and_a_note_says_so() {
    let Some(server) = Server::from_env() else { return };
    let conf = format!("AWS_ENDPOINT={}\nAWS_REGION={}\n", server.endpoint, server.region);
    let ended = server.place_with("anonymous", &conf).remote("exists", &["--repetitions=1"]).run().expect(1);
    ended.says(&["anonymous", "denied"]);
}

#[test]
fn a_missing_bucket_is_named() {
    let Some(mut server) = Server::from_env() else { return };
    server.bucket = "no-such-bucket-here".into();
    refused(&server.place("bucket"), 2, &["no-such-bucket-here", "create the bucket first"]);
    counted(&server.place("bucket"), "not_found", "no-such-bucket-here");
}

#[test]
fn a_server_that_is_down_is_named() {
    let Some(server) = Server::from_env() else { return };
    let proxy = Proxy::before(&server.endpoint);
    let server = server.through(&proxy);
    drop(proxy);
    let address = server.endpoint.trim_start_matches("http://").to_string();
    refused(&server.place("down"), 1, &[&address, "refused"]);
    counted(&server.place("down"), "connection", "refused");
}

#[test]
fn keys_that_mean_nothing_are_named_and_wrong_ones_refused() {
    let Some(server) = Server::from_env() else { return };
    let place = server.place_with("unknown", &format!("{}AWS_ENDPIONT=x\n", server.conf()));
    place.remote("exists", &[]).run().expect(0).says(&["AWS_ENDPIONT"]);
    for (key, part) in
        [("AWS_REQUEST_TIMEOUT_MS=soon", "AWS_REQUEST_TIMEOUT_MS"), ("AWS_ROLE_ARN=arn:x", "AWS_ROLE_ARN")]
    {
        let place = server.place_with("refused", &format!("{}{key}\n", server.conf()));
        place.remote("exists", &[]).run().expect(2).complains(&[part]);
    }
    remote(&["--operation=exists", "--base_dir=s3://b/p"]).run().expect(2).complains(&["AWS_ENDPOINT"]);
}

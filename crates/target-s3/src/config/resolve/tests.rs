//! Tables of what is typed and what it means.

use super::*;
use fsbench_target::ErrorKind;

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn resolve(settings: Pairs<'_>, env: Pairs<'_>) -> Result<(S3Config, Vec<String>)> {
    let settings: Vec<_> = settings.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    let env = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, text)| text.to_string());
    S3Config::resolve("s3://bucket/some/prefix/", &settings, &env)
}

fn good(settings: Pairs<'_>, env: Pairs<'_>) -> (S3Config, Vec<String>) {
    resolve(settings, env).unwrap_or_else(|error| panic!("{error}"))
}

const DORIS: [(&str, &str); 5] = [
    ("AWS_ENDPOINT", "http://oss.example.com:81"),
    ("AWS_ACCESS_KEY", "AK"),
    ("AWS_SECRET_KEY", "hunter2"),
    ("AWS_REGION", "cn-north-1"),
    ("use_path_style", "true"),
];

#[test]
fn doris_keys() {
    let more = [
        ("AWS_TOKEN", "t"),
        ("AWS_MAX_CONN_SIZE", "50"),
        ("AWS_REQUEST_TIMEOUT_MS", "4000"),
        ("AWS_CONNECTION_TIMEOUT_MS", "1500"),
    ];
    let (config, notes) = good(&[&DORIS[..], &more].concat(), &[]);
    let keys = config.credentials.clone().expect("keys");
    assert_eq!((keys.access_key.as_str(), keys.token.as_deref()), ("AK", Some("t")));
    assert_eq!(config.endpoint(), "http://oss.example.com:81");
    assert_eq!((config.region.as_str(), config.path_style, config.max_connections), ("cn-north-1", true, Some(50)));
    assert_eq!(config.request_timeout, Duration::from_millis(4000));
    assert_eq!(config.connect_timeout, Duration::from_millis(1500));
    assert_eq!((config.uri().as_str(), notes), ("s3://bucket/some/prefix", vec![]));
}

#[test]
fn the_other_spelling() {
    let settings = [
        ("s3.endpoint", "oss.example.com"),
        ("s3.access_key", "AK"),
        ("S3.Secret_Key", "SK"),
        ("s3.region", "r"),
        ("s3.session_token", "t"),
        ("s3.connection.maximum", "7"),
        ("s3.connection.request.timeout", "8"),
        ("s3.connection.timeout", "9"),
        ("s3.path-style-access", "false"),
        ("part_size", "16MiB"),
        ("upload_concurrency", "2"),
        ("retries", "3"),
        ("payload", "sha256"),
        ("copy_part_threshold", "10MiB"),
        ("s3.ca_bundle", "/ca.pem"),
    ];
    let (config, notes) = good(&settings, &[]);
    assert_eq!((config.max_connections, config.path_style, config.retries), (Some(7), false, 3));
    assert_eq!((config.part_size, config.upload_concurrency, config.signed_payload), (16 << 20, 2, true));
    assert_eq!((config.copy_part_threshold, config.ca_bundle), (10 << 20, Some("/ca.pem".into())));
    assert_eq!(notes, ["s3.endpoint=oss.example.com has no scheme: using http://oss.example.com"]);
}

#[test]
fn settings_before_environment() {
    let env = [
        ("AWS_ENDPOINT_URL_S3", "https://env.example.com"),
        ("AWS_ENDPOINT_URL", "https://less.example.com"),
        ("AWS_REGION", "env-1"),
        ("AWS_ACCESS_KEY_ID", "EAK"),
        ("AWS_SECRET_ACCESS_KEY", "ESK"),
        ("AWS_SESSION_TOKEN", "ET"),
        ("AWS_CA_BUNDLE", "/env.pem"),
    ];
    let (config, notes) = good(&[], &env);
    assert_eq!((config.endpoint().as_str(), config.region.as_str()), ("https://env.example.com", "env-1"));
    assert_eq!(config.ca_bundle, Some("/env.pem".into()));
    let keys = config.credentials.expect("keys");
    assert_eq!((keys.access_key.as_str(), keys.token.as_deref()), ("EAK", Some("ET")));
    assert_eq!(notes, Vec::<String>::new());
    let (config, _) = good(&DORIS, &env);
    let keys = config.credentials.clone().expect("keys");
    assert_eq!((keys.access_key.as_str(), keys.token), ("AK", None), "a token belongs to its own keys");
    assert_eq!(config.endpoint(), "http://oss.example.com:81");
}

#[test]
fn profiles_fill_what_is_open() {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("credentials");
    let text = "[p]\naws_access_key_id=PAK\naws_secret_access_key=PSK\nregion=p-1\n[sso]\nsso_session=x\n";
    std::fs::write(&file, text).expect("writes");
    let file = file.display().to_string();
    let env = [("AWS_SHARED_CREDENTIALS_FILE", file.as_str()), ("AWS_PROFILE", "p")];
    let (config, notes) = good(&[], &env);
    assert_eq!(config.credentials.map(|keys| keys.access_key).as_deref(), Some("PAK"));
    assert_eq!(config.endpoint.url(), "https://s3.p-1.amazonaws.com");
    assert_eq!(notes, ["no AWS_ENDPOINT is given: using https://s3.p-1.amazonaws.com"]);
    let sso = [("AWS_SHARED_CREDENTIALS_FILE", file.as_str()), ("AWS_PROFILE", "sso")];
    let error = resolve(&[("AWS_REGION", "r")], &sso).expect_err("single sign-on is not supported");
    assert!(error.to_string().contains("sso_session of the AWS profile is not supported"), "{error}");
    let (config, _) = good(&DORIS, &[("AWS_PROFILE", "missing")]);
    assert!(config.credentials.is_some(), "a profile that nothing needs is not read");
}

#[test]
fn anonymous() {
    let (config, notes) = good(&[("AWS_ENDPOINT", "http://h.example.com"), ("AWS_REGION", "r")], &[]);
    assert_eq!(config.credentials, None);
    assert!(notes[0].contains("anonymous"), "{notes:?}");
    let asked = [("AWS_CREDENTIALS_PROVIDER_TYPE", "anonymous")];
    let (config, notes) = good(&[&DORIS[..], &asked].concat(), &[]);
    assert_eq!((config.credentials, notes), (None, vec![]));
}

#[test]
fn addresses_take_path_style() {
    let (config, notes) = good(&[("AWS_ENDPOINT", "127.0.0.1:9000"), ("AWS_REGION", "r")], &[]);
    assert!(config.path_style);
    assert_eq!(
        notes[1..],
        [
            "AWS_ENDPOINT=127.0.0.1:9000 has no scheme: using http://127.0.0.1:9000",
            "the endpoint is an address: using path style (use_path_style=true)"
        ]
    );
}

#[test]
fn mistakes_name_their_key() {
    let with = |name: &'static str, text: &'static str| [&DORIS[..], &[(name, text)]].concat();
    for (settings, says) in [
        (vec![], "neither AWS_ENDPOINT nor AWS_REGION"),
        (vec![("AWS_ENDPOINT", "h.x"), ("AWS_ACCESS_KEY", "A")], "AWS_ACCESS_KEY is given, AWS_SECRET_KEY is not"),
        (vec![("AWS_ENDPOINT", "h.x"), ("s3.secret_key", "hunter2")], "s3.secret_key is given, AWS_ACCESS_KEY is not"),
        (with("AWS_MAX_CONN_SIZE", "x"), "AWS_MAX_CONN_SIZE=x is not a number"),
        (with("AWS_MAX_CONNECTIONS", "10 connections"), "AWS_MAX_CONNECTIONS"),
        (with("AWS_REQUEST_TIMEOUT_MS", "0"), "AWS_REQUEST_TIMEOUT_MS=0"),
        (with("use_path_style", "yes"), "use_path_style=yes is not true or false"),
        (with("part_size", "4MiB"), "part_size=4MiB is not a size from 5242880"),
        (with("part_size", "6GiB"), "part_size=6GiB"),
        (with("upload_concurrency", "0"), "upload_concurrency=0"),
        (with("payload", "md5"), "payload=md5 is not one of: unsigned, sha256"),
        (with("provider", "Azure"), "provider: Azure"),
        (with("AZURE_ACCOUNT_KEY", "hunter2"), "AZURE_ACCOUNT_KEY"),
        (with("AWS_ROLE_ARN", "arn:x"), "AWS_ROLE_ARN is not supported"),
        (with("AWS_CREDENTIALS_PROVIDER_TYPE", "INSTANCE_PROFILE"), "INSTANCE_PROFILE is not supported"),
        (with("AWS_CREDENTIALS_PROVIDER_TYPE", "what"), "AWS_CREDENTIALS_PROVIDER_TYPE=what is not one of"),
        (with("AWS_REGION", "us east"), "AWS_REGION=us east is not a region"),
        (with("AWS_ENDPOINT", "http://h/path"), "AWS_ENDPOINT=http://h/path"),
        (with("AWS_ACCESS_KEY", "A K"), "AWS_ACCESS_KEY holds characters"),
    ] {
        let error = resolve(&settings, &[]).expect_err(says);
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.to_string().contains(says), "{error} does not say: {says}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[test]
fn unknown_keys_are_named_and_secrets_are_not_shown() {
    let (config, notes) = good(&[&DORIS[..], &[("dfs.replication", "3"), ("provider", "OSS")]].concat(), &[]);
    assert_eq!(notes, ["dfs.replication is not used with s3"]);
    assert!(!format!("{config:?}").contains("hunter2"));
}

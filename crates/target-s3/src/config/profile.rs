//! AWS profile files: `~/.aws/credentials` and `~/.aws/config`
//! (<https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html>).

use super::keys::invalid;
use fsbench_target::Result;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Settings of one profile: names in lower case, those below `s3 =` as `s3.name`.
pub(super) type Profile = HashMap<String, String>;

/// Reads the profile that the environment names, or the default one. The credentials file wins over the config file.
///
/// # Errors
/// When a file cannot be read, or a profile that was asked for is in neither.
pub(super) fn load(env: &dyn Fn(&str) -> Option<String>) -> Result<Profile> {
    let asked = env("AWS_PROFILE").filter(|name| !name.is_empty());
    let name = asked.as_deref().unwrap_or("default");
    let mut found = false;
    let mut profile = Profile::new();
    for (variable, file) in [("AWS_CONFIG_FILE", "config"), ("AWS_SHARED_CREDENTIALS_FILE", "credentials")] {
        let named = env(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
        let path = named.clone().or_else(|| Some(Path::new(&env("HOME")?).join(".aws").join(file)));
        let Some(text) = path.map(|path| read(&path)).transpose()?.flatten() else {
            continue;
        };
        if let Some(section) = parse(&text).remove(name) {
            found = true;
            profile.extend(section);
        }
    }
    match (found, asked) {
        (false, Some(name)) => Err(invalid(
            format!("AWS_PROFILE={name}: there is no such profile"),
            "it must be in ~/.aws/credentials or ~/.aws/config, or where AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE point",
        )),
        _ => Ok(profile),
    }
}

fn read(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(invalid(format!("{} cannot be read: {error}", path.display()), "correct it, or unset what names it"))
        }
    }
}

/// All profiles of a file. Lines that are nothing known are left alone, as AWS's own tools do.
fn parse(text: &str) -> HashMap<String, Profile> {
    let mut profiles: HashMap<String, Profile> = HashMap::new();
    let mut current: Option<String> = None;
    let mut group = String::new();
    for line in text.lines() {
        let indented = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(name, _)| name.trim())
        {
            // `sso-session` and `services` sections are no profiles.
            let name = section.strip_prefix("profile ").unwrap_or(section).trim();
            current = (!name.contains(char::is_whitespace)).then(|| name.to_string());
            profiles.entry(name.to_string()).or_default();
            continue;
        }
        let (Some(profile), Some((name, value))) = (&current, line.split_once('=')) else {
            continue;
        };
        let (name, value) = (name.trim().to_ascii_lowercase(), without_comment(value));
        let name = match (indented && !group.is_empty(), value.is_empty()) {
            (true, _) => format!("{group}.{name}"),
            (false, true) => {
                group = name;
                continue;
            }
            (false, false) => {
                group.clear();
                name
            }
        };
        profiles.entry(profile.clone()).or_default().insert(name, value.to_string());
    }
    profiles
}

fn without_comment(value: &str) -> &str {
    let end = [" #", " ;", "\t#", "\t;"].iter().filter_map(|mark| value.find(mark)).min().unwrap_or(value.len());
    value[..end].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "# mine\n[default]\nregion = eu-west-1\r\ns3 =\n  addressing_style = path\n  endpoint_url = http://h:1\n\
        output=json # a comment\n\n[profile other]\nregion=us-west-2\nendpoint_url = https://e\n[sso-session x]\nregion=no\n";

    fn files(profile: Option<&str>) -> (tempfile::TempDir, impl Fn(&str) -> Option<String>) {
        let home = tempfile::tempdir().expect("a directory");
        let aws = home.path().join(".aws");
        std::fs::create_dir(&aws).expect("a directory");
        std::fs::write(aws.join("config"), CONFIG).expect("writes");
        let credentials =
            "[default]\naws_access_key_id=A\naws_secret_access_key = S=/+\n[other]\naws_access_key_id=O\n";
        std::fs::write(aws.join("credentials"), credentials).expect("writes");
        let path = home.path().display().to_string();
        let profile = profile.map(str::to_string);
        (home, move |name: &str| match name {
            "HOME" => Some(path.clone()),
            "AWS_PROFILE" => profile.clone(),
            _ => None,
        })
    }

    #[test]
    fn both_files_make_the_default_profile() {
        let (_home, env) = files(None);
        let profile = load(&env).expect("loads");
        let at = |name: &str| profile.get(name).map(String::as_str);
        assert_eq!((at("region"), at("output")), (Some("eu-west-1"), Some("json")));
        assert_eq!((at("s3.addressing_style"), at("s3.endpoint_url")), (Some("path"), Some("http://h:1")));
        assert_eq!((at("aws_access_key_id"), at("aws_secret_access_key")), (Some("A"), Some("S=/+")));
    }

    #[test]
    fn a_named_profile_is_that_and_no_other() {
        let (_home, env) = files(Some("other"));
        let profile = load(&env).expect("loads");
        assert_eq!(profile.get("region").map(String::as_str), Some("us-west-2"));
        assert_eq!(profile.get("aws_access_key_id").map(String::as_str), Some("O"));
        assert!(!profile.contains_key("aws_secret_access_key"));
    }

    #[test]
    fn a_missing_profile_is_an_error_and_missing_files_are_not() {
        let (_home, env) = files(Some("nobody"));
        assert!(load(&env).expect_err("no such profile").detail.contains("AWS_PROFILE=nobody"));
        assert_eq!(load(&|_| None), Ok(Profile::new()));
    }
}

//! What the tests read: environment variables of the servers that are up.

use anyhow::{Context, Result};

use super::home::{Home, state_dir};
use super::process;
use super::server::Server;

/// The variables of those servers that can be used right now, and where the tests find us.
pub(crate) fn exports(servers: &[Box<dyn Server>]) -> Result<Vec<(String, String)>> {
    let xtask = std::env::current_exe().context("cannot tell the path of this program")?;
    let mut env = vec![
        ("FSBENCH_XTASK".to_owned(), xtask.display().to_string()),
        ("FSBENCH_SERVERS".to_owned(), state_dir()?.display().to_string()),
    ];
    for server in servers {
        let home = Home::open(server.name())?;
        let alive = server.processes().iter().any(|name| process::pid(&home, name).is_some());
        if alive && server.ready(&home) {
            for (key, value) in server.env(&home) {
                if !env.iter().any(|(known, _)| known == key) {
                    env.push((key.to_owned(), value));
                }
            }
        }
    }
    Ok(env)
}

/// One line for a POSIX shell.
pub(crate) fn export_line(key: &str, value: &str) -> String {
    format!("export {key}='{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::export_line;

    #[test]
    fn a_quote_in_a_path_survives_the_shell() {
        assert_eq!(export_line("A", "it's"), r"export A='it'\''s'");
    }
}

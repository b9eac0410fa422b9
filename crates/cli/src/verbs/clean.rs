//! `fsbench clean`: removes what fsbench made below a base, by the ledgers that its runs left there.

use super::remote;
use crate::exit::Exit;
use crate::output;
use crate::stores::{self, Store};
use fsbench_target::NoProbe;
use std::rc::Rc;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory or prefix: /dir, hdfs://host:port/dir, s3://bucket/prefix
    uri: String,
    /// A conf file of `fsbench remote`, for the keys of HDFS or S3
    #[arg(long, value_name = "FILE")]
    conf: Option<String>,
    /// A key of HDFS or S3
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Directory of core-site.xml and hdfs-site.xml
    #[arg(long, value_name = "DIR", alias = "hadoop_conf_dir")]
    hadoop_conf_dir: Option<String>,
}

impl Args {
    /// The same place and keys as flags of `fsbench remote`, which knows how they fit together.
    fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--quiet".into(), "--operation=exists".into(), format!("--base_dir={}", self.uri)];
        flags.extend(self.conf.iter().map(|conf| format!("--conf={conf}")));
        flags.extend(self.hadoop_conf_dir.iter().map(|dir| format!("--hadoop_conf_dir={dir}")));
        flags.extend(self.settings.iter().map(|pair| format!("--set={pair}")));
        flags
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let store = stores::open(&remote::target(&args.flags())?)?;
    // From here on something may have been removed, so an error is not "nothing was touched".
    clean(&store).or_else(|error| {
        output::tell(&format!("fsbench: {error:#}\n"));
        Ok(Exit::Errors)
    })
}

fn clean(store: &Store) -> anyhow::Result<Exit> {
    for note in &store.notes {
        output::tell(&format!("fsbench: {note}\n"));
    }
    let mut session = store.target.session(Rc::new(NoProbe))?;
    let report = fsbench_runner::clean(store.target.as_ref(), session.as_mut())?;
    if let Some(why) = report.uploads_unseen {
        output::tell(&format!("fsbench: {why}\n"));
    }
    let mut text = format!(
        "{}: {} files of {} runs removed, {} were gone already",
        store.target.uri(),
        report.removed,
        report.runs,
        report.absent
    );
    if report.uploads > 0 {
        text += &format!(", {} unfinished uploads aborted", report.uploads);
    }
    output::print(&(text + "\n"))?;
    Ok(Exit::Ok)
}

//! The S3 server of the tests: places on it, conf files in both spellings, and what is left there.

use crate::support::proxy::Proxy;
use crate::support::servers::{Place, names_on, variable};
use fsbench_target::{NoProbe, Target};
use fsbench_target_s3::{S3Config, S3Target};
use std::rc::Rc;

/// The server that `FSBENCH_TEST_S3_*` name.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) endpoint: String,
    pub(crate) access_key: String,
    pub(crate) secret_key: String,
    pub(crate) region: String,
    pub(crate) bucket: String,
}

impl Server {
    pub(crate) fn from_env() -> Option<Self> {
        Self::at("FSBENCH_TEST_S3_ENDPOINT")
    }

    /// The one with TLS, and its authority's file.
    pub(crate) fn with_tls() -> Option<(Self, String)> {
        Some((Self::at("FSBENCH_TEST_S3_TLS_ENDPOINT")?, variable("FSBENCH_TEST_S3_CA")?))
    }

    fn at(endpoint: &str) -> Option<Self> {
        Some(Self {
            endpoint: variable(endpoint)?,
            access_key: variable("FSBENCH_TEST_S3_ACCESS_KEY")?,
            secret_key: variable("FSBENCH_TEST_S3_SECRET_KEY")?,
            region: variable("FSBENCH_TEST_S3_REGION")?,
            bucket: variable("FSBENCH_TEST_S3_BUCKET")?,
        })
    }

    /// Conf lines in the spelling of Doris 2.
    pub(crate) fn conf(&self) -> String {
        let Self { endpoint, access_key, secret_key, region, .. } = self;
        format!(
            "AWS_ENDPOINT={endpoint}\nAWS_ACCESS_KEY={access_key}\nAWS_SECRET_KEY={secret_key}\nAWS_REGION={region}\n\
             use_path_style=true\n"
        )
    }

    /// Conf lines in the spelling of Doris 3.
    pub(crate) fn conf_dotted(&self) -> String {
        let conf = self.conf().replace("AWS_ENDPOINT", "s3.endpoint").replace("AWS_ACCESS_KEY", "s3.access_key");
        conf.replace("AWS_SECRET_KEY", "s3.secret_key").replace("AWS_REGION", "s3.region")
    }

    /// The same server, seen through a proxy.
    pub(crate) fn through(&self, proxy: &Proxy) -> Self {
        Self { endpoint: proxy.endpoint.clone(), ..self.clone() }
    }

    /// A place with a conf file.
    pub(crate) fn place(&self, test: &str) -> Place {
        self.place_with(test, &self.conf())
    }

    pub(crate) fn place_with(&self, test: &str, conf: &str) -> Place {
        let mut place = Place::below(&format!("s3://{}", self.bucket), test);
        place.flags.push(format!("--conf={}", place.room.file("s3.conf", conf)));
        place
    }

    /// The place seen past fsbench's command line and past any proxy.
    pub(crate) fn target(&self, place: &Place) -> S3Target {
        let conf = self.conf();
        let settings: Vec<_> = conf.lines().filter_map(|line| line.split_once('=')).collect();
        let settings: Vec<_> = settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let (config, _) = S3Config::resolve(&place.uri, &settings, &|_| None).expect("settings");
        S3Target::new(config).expect("a target")
    }

    /// Objects below the place, ledgers apart.
    pub(crate) fn objects(&self, place: &Place) -> Vec<String> {
        names_on(&self.target(place))
    }

    /// Unfinished uploads below the place. Looking removes them.
    pub(crate) fn uploads(&self, place: &Place) -> u64 {
        let mut session = self.target(place).session(Rc::new(NoProbe)).expect("a session");
        session.abort_unfinished(&|_| true).expect("uploads can be listed")
    }
}

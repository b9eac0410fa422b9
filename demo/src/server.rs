//! The S3 server of the demo: `s3s-fs` over a directory, in threads of this process.

use anyhow::{Context, anyhow};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use std::net::SocketAddr;
use std::path::Path;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Where the demo works.
pub(crate) const BASE: &str = "s3://demo/fsbench";

const ACCESS_KEY: &str = "demo-access-key";
const SECRET_KEY: &str = "demo-secret-key";

/// A server that runs until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    _runtime: Runtime,
}

impl Server {
    /// Serves the buckets in `root`, with one bucket, on a free port of 127.0.0.1.
    pub(crate) fn start(root: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(root.join("demo")).context("cannot make the demo's bucket")?;
        let files = FileSystem::new(root).map_err(|error| anyhow!("cannot serve {}: {error:?}", root.display()))?;
        let mut builder = S3ServiceBuilder::new(files);
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let service = builder.build();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).context("no free port on 127.0.0.1")?;
        let address = listener.local_addr()?;
        runtime.spawn(accept(listener, service));
        Ok(Self { address, _runtime: runtime })
    }

    /// A conf file for `fsbench remote`, with the keys of Doris.
    pub(crate) fn conf(&self) -> String {
        format!(
            "base_dir={BASE}\nAWS_ENDPOINT=http://{}\nAWS_REGION=us-east-1\nAWS_ACCESS_KEY={ACCESS_KEY}\n\
             AWS_SECRET_KEY={SECRET_KEY}\nuse_path_style=true\n",
            self.address
        )
    }
}

/// Without TCP_NODELAY the server's header and body, written apart, wait 40 ms for each other.
async fn accept(listener: TcpListener, service: S3Service) {
    while let Ok((socket, _)) = listener.accept().await {
        drop(socket.set_nodelay(true));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(socket), service.clone());
        tokio::spawn(async move { drop(connection.await) });
    }
}

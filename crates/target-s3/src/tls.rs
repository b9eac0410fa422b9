//! Certificates: which authorities are believed, and the TLS settings that follow.

use fsbench_target::{Error, ErrorKind, Result};
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A connector that believes the system's authorities, and those in `bundle` (PEM).
///
/// # Errors
/// When the bundle cannot be read, or no authority is known at all.
pub(crate) fn connector(bundle: Option<&Path>) -> Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(native.certs);
    if let Some(path) = bundle {
        add_bundle(&mut roots, path)?;
    }
    if roots.is_empty() {
        return Err(invalid("no certificate authority is known on this machine")
            .with_hint("install ca-certificates, or set s3.ca_bundle (AWS_CA_BUNDLE) to a PEM file"));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| invalid(&error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn add_bundle(roots: &mut RootCertStore, path: &Path) -> Result<()> {
    let bad = |problem: String| {
        invalid(&format!("s3.ca_bundle {}: {problem}", path.display()))
            .with_hint("it must be a PEM file of certificates")
    };
    let found = CertificateDer::pem_file_iter(path).map_err(|error| bad(error.to_string()))?;
    let mut count = 0;
    for certificate in found {
        let certificate = certificate.map_err(|error| bad(error.to_string()))?;
        roots.add(certificate).map_err(|error| bad(error.to_string()))?;
        count += 1;
    }
    if count == 0 { Err(bad("there is no certificate in it".into())) } else { Ok(()) }
}

fn invalid(detail: &str) -> Error {
    Error::new(ErrorKind::Invalid, "s3", "set up TLS for", "s3", detail)
}

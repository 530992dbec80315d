//! Which of the encodings a client prefers (RFC 9110, 12.5.1).

use hyper::HeaderMap;
use hyper::header::ACCEPT;

/// An encoding of metrics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Encoding {
    OpenMetrics,
    Protobuf,
    Text,
}

/// The encoding with the highest weight; of equal ones, the first. A client that names none of them
/// gets text, as from every exporter.
pub fn preferred(headers: &HeaderMap) -> Encoding {
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut best = (0.0, Encoding::Text);
    for (weight, encoding) in values.flat_map(|value| value.split(',')).filter_map(offer) {
        if weight > best.0 {
            best = (weight, encoding);
        }
    }
    best.1
}

/// What an item of `Accept` asks for, with its weight; none if it is not among the encodings.
fn offer(item: &str) -> Option<(f32, Encoding)> {
    let mut parts = item.split(';').map(str::trim);
    let name = parts.next()?.to_ascii_lowercase();
    let (mut weight, mut version, mut proto, mut encoding) = (1.0, None, None, None);
    for (key, value) in parts.filter_map(|part| part.split_once('=')) {
        let value = value.trim().trim_matches('"');
        match key.trim().to_ascii_lowercase().as_str() {
            "q" => weight = value.parse().ok()?,
            "version" => version = Some(value),
            "proto" => proto = Some(value),
            "encoding" => encoding = Some(value),
            _ => {}
        }
    }
    let wanted = match &*name {
        "application/openmetrics-text" if matches!(version, None | Some("1.0.0")) => {
            Encoding::OpenMetrics
        }
        "application/vnd.google.protobuf"
            if proto == Some("io.prometheus.client.MetricFamily")
                && matches!(encoding, None | Some("delimited")) =>
        {
            Encoding::Protobuf
        }
        "text/plain" if matches!(version, None | Some("0.0.4")) => Encoding::Text,
        "text/*" | "*/*" => Encoding::Text,
        _ => return None,
    };
    Some((weight, wanted))
}

#[cfg(test)]
mod tests {
    use super::Encoding::{OpenMetrics, Protobuf, Text};
    use super::*;
    use hyper::header::HeaderValue;

    fn of(values: &[&str]) -> Encoding {
        let headers = values.iter().map(|value| {
            (ACCEPT, HeaderValue::from_bytes(value.as_bytes()).expect("a value of a header"))
        });
        preferred(&headers.collect())
    }

    #[test]
    fn prometheus_gets_what_it_asks_for() {
        // 2.42, and with native histograms; 3; and curl and Firefox.
        let classic = "application/openmetrics-text;version=1.0.0,\
            application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,\
            */*;q=0.1";
        let native = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;\
            encoding=delimited,application/openmetrics-text;version=1.0.0;q=0.8,\
            application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,\
            */*;q=0.1";
        let third = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
            application/openmetrics-text;version=0.0.1;q=0.5,\
            text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,\
            */*;q=0.2";
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for (value, expected) in [
            (classic, OpenMetrics),
            (native, Protobuf),
            (third, OpenMetrics),
            ("*/*", Text),
            (browser, Text),
        ] {
            assert_eq!(of(&[value]), expected, "{value}");
        }
        assert_eq!(of(&[]), Text);
    }

    #[test]
    fn weights_decide_and_what_is_unknown_does_not_count() {
        for (values, expected) in [
            (&["text/plain;q=0.4, application/openmetrics-text;q=0.5"][..], OpenMetrics),
            (&["text/plain;q=0.5, application/openmetrics-text;q=0.5"], Text),
            (&["text/plain;q=0.5", "application/openmetrics-text"], OpenMetrics),
            (&["application/openmetrics-text;q=0"], Text),
            (&["Application/OpenMetrics-Text ; Version = \"1.0.0\" ; Q=0.1"], OpenMetrics),
            (&["application/openmetrics-text;version=2.0.0"], Text),
            (&["application/vnd.google.protobuf"], Text),
            (&["application/vnd.google.protobuf;proto=other;encoding=delimited"], Text),
            (&["application/openmetrics-text;q=nan, text/plain;q=x, ;;=, ,"], Text),
            (&["\u{fc}"], Text),
            (&["image/png"], Text),
        ] {
            assert_eq!(of(values), expected, "{values:?}");
        }
    }
}

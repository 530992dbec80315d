//! What each path answers, from what is on the board, in the encoding that a client prefers (RFC
//! 9110, 12.5.1).

use crate::rounds::{Board, Notice};
use chronoscope_report::metrics::{Answers, OPEN_METRICS, PROTOBUF, TEXT};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use std::sync::Arc;
use std::time::Duration;

/// The measuring thread looks at the machine each second, so it hangs if it is silent for this
/// long.
const SILENCE: Duration = Duration::from_mins(5);

const PLAIN: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";

pub type Answer = Response<Full<Bytes>>;

/// Answers a request. There is a report only if that was asked for.
pub fn answer<B>(request: &Request<B>, board: &Board, has_report: bool) -> Answer {
    let known: fn(&Request<B>, &Board) -> Answer = match request.uri().path() {
        "/metrics" => metrics,
        "/healthz" => |_, board| health(board.notice().as_ref(), board.silence()),
        "/report" if has_report => report,
        "/" if has_report => |_, _| front(" <a href=\"/report\">report</a>"),
        "/" => |_, _| front(""),
        _ => return line(StatusCode::NOT_FOUND, "not found: / lists what there is"),
    };
    refused(request).unwrap_or_else(|| known(request, board))
}

/// Why a request is not answered that neither gets nor looks.
fn refused<B>(request: &Request<B>) -> Option<Answer> {
    if [Method::GET, Method::HEAD].contains(request.method()) {
        return None;
    }
    let mut answer = line(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    Some(answer)
}

/// What isolates a page from others, so that it gets finer clocks and shared memory (HTML,
/// "cross-origin isolation").
const ISOLATING: [(&str, &str); 3] = [
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Answers with a page at `/`, and with nothing else.
pub fn isolated<B>(request: &Request<B>, page: &Bytes) -> Answer {
    if request.uri().path() != "/" {
        return line(StatusCode::NOT_FOUND, "not found: the page is at /");
    }
    refused(request).unwrap_or_else(|| {
        let mut answer = of(StatusCode::OK, HTML, page.clone());
        let headers = answer.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        for (name, value) in ISOLATING {
            headers.insert(name, HeaderValue::from_static(value));
        }
        answer
    })
}

fn metrics<B>(request: &Request<B>, board: &Board) -> Answer {
    let Some(Notice { answers, .. }) = board.notice() else {
        return nothing_yet();
    };
    let (kind, part): (_, fn(&Answers) -> &[u8]) = match preferred(request.headers()) {
        Encoding::OpenMetrics => (OPEN_METRICS, |it| &it.open_metrics),
        Encoding::Protobuf => (PROTOBUF, |it| &it.protobuf),
        Encoding::Text => (TEXT, |it| &it.text),
    };
    of(StatusCode::OK, kind, Bytes::from_owner(Part(answers, part)))
}

fn report<B>(_: &Request<B>, board: &Board) -> Answer {
    match board.notice() {
        Some(notice) if !notice.report.is_empty() => {
            of(StatusCode::OK, JSON, Bytes::from_owner(Part(notice.report, |it| it)))
        }
        _ => nothing_yet(),
    }
}

/// Whether the exporter works; that something cannot be measured here is not a failure.
fn health(notice: Option<&Notice>, silence: Duration) -> Answer {
    let health = notice.map(|notice| &notice.health);
    if let Some(why) = health.and_then(|health| health.failed.as_ref()) {
        return line(StatusCode::SERVICE_UNAVAILABLE, &format!("failed: {why}"));
    }
    if silence >= SILENCE {
        let why = format!("silent: nothing was measured for {} s", silence.as_secs());
        return line(StatusCode::SERVICE_UNAVAILABLE, &why);
    }
    let absent = health.into_iter().flat_map(|health| &health.absent).map(String::as_str);
    let lines: Vec<&str> = std::iter::once("ok").chain(absent).collect();
    line(StatusCode::OK, &lines.join("\n"))
}

fn front(more: &str) -> Answer {
    let page = format!(
        "<!doctype html><html lang=\"en\"><title>chronoscope</title>\n\
         <h1>chronoscope</h1>\n\
         <p><a href=\"/metrics\">metrics</a> <a href=\"/healthz\">health</a>{more}</p></html>\n"
    );
    of(StatusCode::OK, HTML, page.into())
}

fn nothing_yet() -> Answer {
    line(StatusCode::SERVICE_UNAVAILABLE, "nothing was measured yet")
}

fn line(status: StatusCode, text: &str) -> Answer {
    of(status, PLAIN, format!("{text}\n").into())
}

fn of(status: StatusCode, kind: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// A part of something shared. Clients that read slowly hold no copy of it.
struct Part<T>(Arc<T>, fn(&T) -> &[u8]);

impl<T> AsRef<[u8]> for Part<T> {
    fn as_ref(&self) -> &[u8] {
        (self.1)(&self.0)
    }
}

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
    for (weight, encoding) in values.flat_map(|value| value.split(',')).filter_map(offered) {
        if weight > best.0 {
            best = (weight, encoding);
        }
    }
    best.1
}

/// What an item of `Accept` asks for, with its weight; none if it is not among the encodings.
fn offered(item: &str) -> Option<(f32, Encoding)> {
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
    use crate::rounds::Health;
    use http_body_util::BodyExt;
    use hyper::body::Body;

    fn notice(health: Health) -> Notice {
        let part = |text: &str| text.as_bytes().to_vec();
        let [open_metrics, text, protobuf] = ["open", "text", "protobuf"].map(part);
        let answers = Answers { open_metrics, text, protobuf };
        Notice { answers: Arc::new(answers), report: Arc::new(part("{}")), health }
    }

    fn board() -> Board {
        let board = Board::default();
        board.put(notice(Health::default()));
        board
    }

    fn request(method: Method, path: &str) -> Request<()> {
        Request::builder().method(method).uri(path).body(()).expect("a request")
    }

    fn text(answer: Answer) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let body = runtime.block_on(answer.into_body().collect()).expect("it cannot fail");
        String::from_utf8(body.to_bytes().to_vec()).expect("UTF-8")
    }

    #[test]
    fn each_path_answers_and_no_other() {
        let board = board();
        for (method, path, has_report, status, begin) in [
            (Method::GET, "/metrics", false, 200, "text"),
            (Method::HEAD, "/metrics", false, 200, "text"),
            (Method::GET, "/metrics?name=x", false, 200, "text"),
            (Method::GET, "/healthz", false, 200, "ok\n"),
            (Method::GET, "/report", true, 200, "{}"),
            (Method::GET, "/report", false, 404, "not found"),
            (Method::POST, "/metrics", false, 405, "only GET"),
            (Method::DELETE, "/nothing", false, 404, "not found"),
            (Method::GET, "/metrics/", false, 404, "not found"),
            (Method::OPTIONS, "*", false, 404, "not found"),
            (Method::GET, "/", false, 200, "<!doctype html>"),
        ] {
            let answer = answer(&request(method.clone(), path), &board, has_report);
            assert_eq!(answer.status().as_u16(), status, "{method} {path}");
            assert_eq!(answer.headers().contains_key(ALLOW), status == 405);
            let text = text(answer);
            assert!(text.starts_with(begin), "{method} {path}: {text}");
        }
        for has_report in [true, false] {
            let page = text(answer(&request(Method::GET, "/"), &board, has_report));
            assert_eq!(page.contains("/report"), has_report, "{page}");
        }
    }

    #[test]
    fn a_page_is_isolated_and_alone() {
        let page = Bytes::from_static(b"<!doctype html>");
        for (method, path, status) in [
            (Method::GET, "/", 200),
            (Method::HEAD, "/?x", 200),
            (Method::GET, "/metrics", 404),
            (Method::POST, "/", 405),
        ] {
            let answer = isolated(&request(method.clone(), path), &page);
            assert_eq!(answer.status().as_u16(), status, "{method} {path}");
            let opener = answer.headers().get("cross-origin-opener-policy");
            assert_eq!(opener.is_some(), status == 200, "{method} {path}");
        }
    }

    #[test]
    fn before_the_first_measurement_there_is_health_and_nothing_else() {
        let board = Board::default();
        for (path, status) in [("/metrics", 503), ("/report", 503), ("/healthz", 200)] {
            let answer = answer(&request(Method::GET, path), &board, true);
            assert_eq!(answer.status().as_u16(), status, "{path}");
            assert_eq!(text(answer).lines().count(), 1);
        }
    }

    #[test]
    fn health_names_what_is_absent_and_fails_if_nothing_is_measured() {
        let failed = Health { failed: Some("no clock".into()), ..Health::default() };
        let absent =
            Health { absent: vec!["waits: why".into(), "steps: why".into()], failed: None };
        for (health_of, silence, status, expected) in [
            (Health::default(), 0, 200, "ok\n"),
            (absent, 299, 200, "ok\nwaits: why\nsteps: why\n"),
            (failed, 0, 503, "failed: no clock\n"),
            (Health::default(), 300, 503, "silent: nothing was measured for 300 s\n"),
        ] {
            let answer = health(Some(&notice(health_of)), Duration::from_secs(silence));
            assert_eq!(answer.status().as_u16(), status);
            assert_eq!(text(answer), expected);
        }
    }

    #[test]
    fn an_answer_shares_its_bytes_with_the_board() {
        let board = board();
        let answer = answer(&request(Method::GET, "/metrics"), &board, false);
        let shared = board.notice().expect("a notice").answers;
        assert_eq!((answer.body().size_hint().exact(), Arc::strong_count(&shared)), (Some(4), 3));
    }

    fn encoding_of(values: &[&str]) -> Encoding {
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
            assert_eq!(encoding_of(&[value]), expected, "{value}");
        }
        assert_eq!(encoding_of(&[]), Text);
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
            assert_eq!(encoding_of(values), expected, "{values:?}");
        }
    }
}

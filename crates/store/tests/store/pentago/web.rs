//! Files on a web server, and servers that misbehave.

use super::*;

/// How a server in a test behaves.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Proper,
    Closes,
    Whole,
    WrongRange,
    Short,
    Grows,
    Garbage,
}

/// Serves some bytes to one connection after another, each with as many requests as come.
fn serve(bytes: Vec<u8>, manner: Manner) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/data/slice.pentago", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut served = 0;
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            while answer(&stream, &bytes, manner, served).is_some() {
                served += 1;
                if manner == Manner::Closes {
                    break;
                }
            }
        }
    });
    url
}

fn answer(mut stream: &TcpStream, bytes: &[u8], manner: Manner, served: usize) -> Option<()> {
    let mut range = None;
    // A buffer of its own each time is right: the client waits for an answer before it asks again.
    for line in BufReader::new(stream).lines() {
        let line = line.ok()?;
        if let Some(wanted) = line.to_lowercase().strip_prefix("range: bytes=") {
            let (first, last) = wanted.split_once('-')?;
            range = Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?));
        }
        if line.is_empty() {
            break;
        }
    }
    let (first, last) = range?;
    let length = bytes.len() + if manner == Manner::Grows { served } else { 0 };
    let body = &bytes[first..=last];
    let said = first + usize::from(manner == Manner::WrongRange);
    let head = match manner {
        Manner::Whole => format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n"),
        Manner::Garbage => "SSH-2.0-OpenSSH\r\n\r\n".to_string(),
        _ => format!(
            "HTTP/1.1 206 Partial Content\r\ncontent-length: {}\r\nContent-Range: bytes {said}-{last}/{length}\r\n\r\n",
            body.len()
        ),
    };
    stream.write_all(head.as_bytes()).ok()?;
    if manner == Manner::Short && served > 0 {
        let _ = stream.write_all(&body[..body.len() - 1]);
        let _ = stream.shutdown(std::net::Shutdown::Both);
        return None;
    }
    stream.write_all(body).ok()
}

#[test]
fn a_web_server_will_do() {
    let scratch = Scratch::new("web");
    let bytes = write_meaningless(&scratch.0.join("a.pentago"), 2);
    let right = read_damaged(bytes.clone()).unwrap();
    for manner in [Manner::Proper, Manner::Closes] {
        let slice = Slice::open_url(&serve(bytes.clone(), manner), 1 << 20).unwrap();
        assert_eq!(read_all(&slice).unwrap(), right);
    }
    for manner in [Manner::Whole, Manner::WrongRange, Manner::Short, Manner::Grows, Manner::Garbage] {
        let url = serve(bytes.clone(), manner);
        let error = Slice::open_url(&url, 0).err().unwrap();
        assert!(error.to_string().contains(&url), "{error}");
    }
    for url in ["https://127.0.0.1:1/a", "http:///a", "http://a b/c", "ftp://x"] {
        assert!(Remote::open(url).is_err(), "{url}");
    }
}

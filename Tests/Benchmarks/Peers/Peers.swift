import Foundation

/// The other servers, each set up as a cache in front of the same origin.
enum Peers {
  /// nginx as it is usually set up, or with what makes it fastest for answers of this size.
  static func nginx(isTuned: Bool, _ origin: Int, in directory: URL, answering target: String)
    throws
    -> RunningServer
  {
    let name = isTuned ? "nginx tuned" : "nginx"
    let port = freePort()
    let own = directory.appending(path: isTuned ? "nginx-tuned" : "nginx-usual")
    try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    let sending =
      isTuned ? "sendfile off; output_buffers 1 64k;" : "sendfile on; tcp_nopush on;"
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(own.path)/\($0);"
    }.joined(separator: " ")
    let text = """
      daemon off; master_process off; pid \(own.path)/pid; error_log stderr crit;
      events { worker_connections 16384; }
      http {
        access_log off; \(sending) \(temporary)
        keepalive_timeout 75; keepalive_requests 1000000000;
        proxy_cache_path \(own.path)/cache keys_zone=answers:16m max_size=256m inactive=1h;
        server {
          listen 127.0.0.1:\(port);
          location / {
            proxy_pass http://127.0.0.1:\(origin); proxy_cache answers; proxy_cache_valid 200 1h;
          }
        }
      }
      """
    let file = own.appending(path: "nginx.conf")
    try Data(text.utf8).write(to: file)
    return try RunningServer(
      name, port: port, in: directory,
      "taskset -c 0 nginx -p \(own.path) -c \(file.path)", answering: target)
  }

  static func varnish(_ origin: Int, in directory: URL, answering target: String) throws
    -> RunningServer
  {
    let port = freePort()
    let file = directory.appending(path: "peer.vcl")
    let text = "vcl 4.1; backend origin { .host = \"127.0.0.1\"; .port = \"\(origin)\"; }\n"
    try Data(text.utf8).write(to: file)
    return try RunningServer(
      "Varnish", port: port, in: directory,
      "taskset -c 0 varnishd -F -n \(directory.path)/varnish -a 127.0.0.1:\(port) "
        + "-f \(file.path) -s malloc,256m -t 3600",
      answering: target)
  }

  static func haproxy(_ origin: Int, in directory: URL, answering target: String) throws
    -> RunningServer
  {
    let port = freePort()
    let text = """
      global
        nbthread 1
        maxconn 4096
      defaults
        mode http
        timeout connect 5s
        timeout client 75s
        timeout server 30s
      cache answers
        total-max-size 256
        max-object-size 16000000
        max-age 3600
      frontend all
        bind 127.0.0.1:\(port)
        http-request cache-use answers
        http-response cache-store answers
        default_backend origin
      backend origin
        server origin 127.0.0.1:\(origin)

      """
    let file = directory.appending(path: "haproxy.cfg")
    try Data(text.utf8).write(to: file)
    return try RunningServer(
      "HAProxy", port: port, in: directory,
      "taskset -c 0 haproxy -db -f \(file.path)", answering: target)
  }

  /// The C program, with exactly the bytes that were answered.
  static func inC(_ answer: RawReply, in directory: URL, answering target: String) throws
    -> RunningServer
  {
    let port = freePort()
    let file = directory.appending(path: "answer")
    try Data(answer.bytes).write(to: file)
    return try RunningServer(
      "C", port: port, in: directory,
      "taskset -c 0 \(Stage.program("PeerInC")) \(port) \(file.path)", answering: target)
  }
}

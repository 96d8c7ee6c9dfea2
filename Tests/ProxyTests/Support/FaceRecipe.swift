import Feed
import Settings
import Simulator

/// How an operator would write down a face of the simulated API.
enum FaceRecipe {
  /// One source, `list`, with the feed `items`, and `loose`: the same list taken in its own order.
  static func sources(
    _ face: Face, port: Int, policy: Policy
  ) throws -> [String: Configuration.Source] {
    let by =
      switch face.addressing {
      case .page: #""by":"page""#
      case .offset: #""by":"offset","aligned":\#(face.isCoarse)"#
      case .item: #""by":"item","at":"after""#
      case .time: #""by":"time","at":"before""#
      case .next: #""by":"next","at":"token","next":"next","counted":\#(face.isCoarse)"#
      }
    let size = face.pageSize.map { #""max":\#($0)"# } ?? #""size":"size""#
    let exact = face.total == .exact ? "true" : "false"
    let total = face.total == .none ? "" : #","total":"total","exact":\#(exact)"#
    let isSideBySide =
      face.addressing == .page && face.pageSize != nil && face.total != .exact
      || face.addressing == .next && face.isCoarse
    let reach = face.cap.map { #","reach":\#($0),"beyond":[422]"# } ?? ""
    let accept = isSideBySide ? #","accept":"none""# : ""
    let pages = "{\(by),\(size)\(total)\(accept)\(face.addressing == .time ? "" : reach)}"
    let loose = face.addressing == .time ? "" : #","loose":{"path":"items","items":"items"}"#
    let feed = #"{"items":"items","order":"-created_at","updated":"updated_at"}"#
    let json = """
      {"sources":{"list":{"kind":"http","baseURL":"http://127.0.0.1:\(port)",
      "pages":\(pages),"feeds":{"items":\(feed)\(loose)}}}}
      """
    var sources = try Configuration.read(Array(json.utf8)).sources
    if case .http(var list)? = sources["list"] {
      list.policy = policy
      sources["list"] = .http(list)
    }
    return sources
  }
}

import CExplorer
package import Proxy

extension ExplorerPage {
  /// The page in the program's own file, made when it is first asked for.
  package static let shared = ExplorerPage(
    frame: bytes(explorer_frame()), style: bytes(explorer_style()), script: bytes(explorer_script())
  )

  private static func bytes(_ part: ExplorerPart) -> [UInt8] {
    Array(UnsafeBufferPointer(start: part.bytes, count: part.count))
  }
}

import HTTP
import Logging
import Proxy

extension ServerSettings {
  /// Takes as many connections as the process gets descriptors for.
  mutating func fitDescriptors(_ logger: Logger) {
    let wanted = limits.connections
    let descriptors = DescriptorLimit.raise(to: limits.descriptors)
    limits.fit(descriptors: descriptors)
    guard limits.connections < wanted else { return }
    logger.warning(
      "fewer connections than maxConnections: the process may not open as many files",
      metadata: ["connections": "\(limits.connections)", "files": "\(descriptors)"])
  }
}

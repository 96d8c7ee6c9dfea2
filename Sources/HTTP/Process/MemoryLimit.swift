/// The memory limit of this process.
package enum MemoryLimit {
  /// In bytes, as a container's `--memory` sets it; nil where nothing limits it.
  package static var ofThisProcess: Int? { ControlGroups.ofThisProcess?.memoryBytes }
}

import Feed

/// The text of a number of several parts, as the server writes it.
func mergedNumber(
  _ numbers: [Int64], watermark: Int64, epoch: String, names: UInt32
) -> String {
  let parts = PartNumbers(parts: names, numbers: numbers, watermark: watermark)
  return SequenceNumber(epoch: epoch, number: 0, parts).text
}

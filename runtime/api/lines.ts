/** Splits chunks of bytes into lines of UTF-8; throws RangeError if a line is longer than `mostBytes`. */
export interface LineReader {
  /** The lines that these bytes complete, without newlines. */
  push(bytes: Buffer): string[];
  /** The text after the last newline. */
  rest(): string;
}

const NEWLINE = 0x0a;

export function createLineReader(mostBytes: number): LineReader {
  let parts: Buffer[] = [];
  let waiting = 0;

  function keep(bytes: Buffer): void {
    waiting += bytes.length;
    if (waiting > mostBytes) throw new RangeError(`a line of more than ${mostBytes} bytes`);
    if (bytes.length > 0) parts.push(bytes);
  }

  function take(): string {
    const [first] = parts;
    const text = (parts.length === 1 && first !== undefined ? first : Buffer.concat(parts, waiting)).toString(
      'utf8',
    );
    parts = [];
    waiting = 0;
    return text;
  }

  return {
    push(bytes) {
      const lines: string[] = [];
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
        keep(bytes.subarray(from, end));
        lines.push(take());
        from = end + 1;
      }
      keep(bytes.subarray(from));
      return lines;
    },
    rest: take,
  };
}

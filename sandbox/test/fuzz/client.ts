import { connect, type Socket } from 'node:net';

/** One response as received. */
export interface WireAnswer {
  code: number;
  headers: ReadonlyMap<string, string>;
  body: string;
  /** A stream that continues: its body is the part received with the header. */
  open: boolean;
}

/** A client that sends raw bytes over one connection, as long as the server keeps it open. */
export interface WireClient {
  /** Sends all requests at once and waits for the responses; fewer if the server closes the connection. */
  send(requests: readonly string[], deadlineMs: number): Promise<WireAnswer[]>;
  close(): void;
}

interface Parsed {
  answer: WireAnswer;
  rest: Buffer;
}

function chunked(bytes: Buffer): { body: string; rest: Buffer } | undefined {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    const next = end + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { body: Buffer.concat(parts).toString(), rest: bytes.subarray(next) };
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = next;
  }
}

/** The first complete response in the received bytes; undefined if it is incomplete. */
function parseAnswer(bytes: Buffer, silent: boolean, isHead: boolean): Parsed | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const code = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 'NaN');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const after = bytes.subarray(end + 4);
  if (code === 100) return parseAnswer(after, silent, isHead);
  const made = (body: string, rest: Buffer, open = false): Parsed => ({
    answer: { code, headers, body, open },
    rest,
  });
  if (isHead || code === 304 || code === 204) return made('', after);
  if (headers.get('transfer-encoding') === 'chunked') {
    const whole = chunked(after);
    if (whole !== undefined) return made(whole.body, whole.rest);
    return silent ? made(after.toString(), Buffer.alloc(0), true) : undefined;
  }
  const length = Number(headers.get('content-length') ?? 0);
  if (after.length < length) return undefined;
  return made(after.toString('utf8', 0, length), after.subarray(length));
}

export function wireClient(port: number): WireClient {
  let socket: Socket | undefined;
  return {
    close: () => socket?.destroy(),
    send: async (requests, deadlineMs) =>
      new Promise((resolve, reject) => {
        if (socket === undefined || socket.destroyed) {
          socket = connect(port, '127.0.0.1');
          socket.setNoDelay(true);
        }
        const current = socket;
        const answers: WireAnswer[] = [];
        let pending: Buffer = Buffer.alloc(0);
        let quiet: NodeJS.Timeout | undefined;
        const late = setTimeout(() => {
          done();
          current.destroy();
          reject(
            new Error(
              `no answer within ${deadlineMs} ms to ${JSON.stringify(requests[answers.length]?.slice(0, 300))}`,
            ),
          );
        }, deadlineMs);
        function done(): void {
          clearTimeout(late);
          clearTimeout(quiet);
          current.removeAllListeners();
          current.on('error', () => {});
        }
        function drain(silent: boolean): void {
          while (answers.length < requests.length) {
            const isHead = requests[answers.length]?.startsWith('HEAD ') === true;
            const parsed = parseAnswer(pending, silent, isHead);
            if (parsed === undefined) return;
            pending = parsed.rest;
            answers.push(parsed.answer);
            if (!parsed.answer.open) continue;
            current.destroy();
            break;
          }
          done();
          resolve(answers);
        }
        current.on('data', (chunk: Buffer) => {
          pending = Buffer.concat([pending, chunk]);
          clearTimeout(quiet);
          if (pending.includes('chunked')) quiet = setTimeout(() => drain(true), 5);
          drain(false);
        });
        current.on('error', () => {});
        current.on('close', () => {
          done();
          resolve(answers);
        });
        current.write(Buffer.from(requests.join(''), 'latin1'));
      }),
  };
}

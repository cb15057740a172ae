/** The headers and limits of a request. */
export interface GetOptions {
  headers: Readonly<Record<string, string>>;
  /** For name resolution, connection and response together, milliseconds. */
  timeoutMs: number;
  /** The longest body. */
  maxBytes: number;
  /** Cancels the request. */
  signal: AbortSignal;
}

/** The whole response, or a short clause why there is none. `error` never contains bytes that the other side sent. */
export type GetAnswer = { status: number; body: string } | { error: string };

/** One GET request. It never rejects and follows no redirect. */
export type Get = (url: string, options: GetOptions) => Promise<GetAnswer>;

/** One POST request of a JSON body. Only the status of its response is read: the body of the answer is ''. */
export type Post = (url: string, options: GetOptions & { content: string }) => Promise<GetAnswer>;

/** What a request may take, and what goes along with it. */
export interface GetOptions {
  headers: Readonly<Record<string, string>>;
  /** For everything: name, connection, answer. */
  timeoutMs: number;
  /** The most bytes that are read of a body. */
  maxBytes: number;
  /** Ends the request; what it is answered with then does not matter. */
  signal: AbortSignal;
}

/** The whole answer, or in a few words why there is none. No `error` holds anything that the other side wrote. */
export type GetAnswer = { status: number; body: string } | { error: string };

/** One GET request. It never rejects and follows no redirect. */
export type Get = (url: string, options: GetOptions) => Promise<GetAnswer>;

export { CredentialsError, type ConnectionProblem as Unconnected } from './credentials-error.ts';

/** How an API server is reached, and as whom. */
export interface Connection {
  /** `https://host:port/base`, without a slash at the end. */
  readonly server: string;
  /** The namespace of the context, or the service account's own. */
  readonly namespace: string | undefined;
  /** Who asks, in words: `context prod`, `the service account of the pod`. */
  readonly user: string;
  /** What the connection is secured with; another object once credentials were refreshed and it changed. */
  readonly tls?: TlsOptions | undefined;
  /**
   * The headers that say who asks; the same object as long as they do not change. `refresh`: the server did not take
   * them; whatever can be read or run anew is. Rejects with CredentialsError.
   */
  headers(refresh?: boolean): Promise<Headers>;
}

/** Names in lower case; of a list, each value is sent in a header of its own. */
export type Headers = Readonly<Record<string, string | string[]>>;

/** PEM throughout. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

export { CredentialsError, type ConnectionProblem as Unconnected } from './credentials-error.ts';

/** The address of an API server, and the credentials for it. */
export interface Connection {
  /** `https://host:port/base`, without a slash at the end. */
  readonly server: string;
  /** The namespace of the context, or of the service account. */
  readonly namespace: string | undefined;
  /** The credentials are those of the service account of this pod. */
  readonly isOfPod?: boolean;
  /** The user, for messages: `context prod`, `the service account of the pod`. */
  readonly user: string;
  /** The TLS options; a new object after a refresh of the credentials has changed them. */
  readonly tls?: TlsOptions | undefined;
  /**
   * The headers that authenticate the user; the same object as long as they do not change. Rejects with CredentialsError.
   *
   * @param refresh the server did not accept them: files are read and plugins are run again
   */
  headers(refresh?: boolean): Promise<Headers>;
}

/** Names in lower case; each value of a list is sent in a header of its own. */
export type Headers = Readonly<Record<string, string | string[]>>;

/** Certificates and keys are PEM. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

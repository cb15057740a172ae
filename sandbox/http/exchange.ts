import type { Clock } from '../../schemas/wire/clock.ts';
import type { Impersonation } from '../access/impersonation.ts';
import type { UserInfo } from '../access/users.ts';
import type { ApiServer } from '../api/server.ts';
import type { Answers } from '../webhooks/answers.ts';
import type { OutputOptions } from './reply.ts';
import type { StreamLimits } from './stream.ts';

/** Parses YAML; throws ApiError (400) if it is invalid. */
export type ReadYaml = (text: string) => { value: unknown; duplicates: string[] };

/** The dependencies of every request over HTTP. */
export interface FrontContext {
  server: ApiServer;
  /** The clock for connection timeouts. */
  timers: Pick<Clock, 'after'>;
  readYaml: ReadYaml;
  limits: StreamLimits;
  /** Receives internal errors. */
  onError: (error: unknown) => void;
}

/** One request with its body. */
export interface Exchange {
  method: string;
  /** The decoded path without the query. */
  path: string;
  query: URLSearchParams;
  /** The name of `requester`. */
  user: string;
  requester: UserInfo;
  /** The impersonated user, if any. */
  impersonation: Impersonation | undefined;
  accept: string | undefined;
  contentType: string | undefined;
  userAgent: string | undefined;
  /** The Host header. */
  host: string;
  ifNoneMatch: string | undefined;
  body: Uint8Array;
  /** What webhooks answered to the request in its earlier attempts. */
  webhooks?: Answers;
  output: OutputOptions;
}

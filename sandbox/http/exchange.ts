import type { Clock } from '../../schemas/wire/clock.ts';
import type { Impersonation } from '../access/impersonation.ts';
import type { UserInfo } from '../access/users.ts';
import type { ApiServer } from '../api/server.ts';
import type { OutputOptions } from './reply.ts';
import type { StreamLimits } from './stream.ts';

/** Reads YAML; an ApiError (400) for what is none. */
export type ReadYaml = (text: string) => { value: unknown; duplicates: string[] };

/** What every request is answered with the help of. */
export interface FrontContext {
  server: ApiServer;
  /** What connections are timed by. */
  timers: Pick<Clock, 'after'>;
  readYaml: ReadYaml;
  limits: StreamLimits;
  /** Hears of errors that are this server's own fault. */
  onError: (error: unknown) => void;
}

/** One request, once its body has been read. */
export interface Exchange {
  method: string;
  /** Decoded, without the query. */
  path: string;
  query: URLSearchParams;
  /** The name of `asker`. */
  user: string;
  requester: UserInfo;
  /** Whom he wants to be taken for, if anybody. */
  impersonation: Impersonation | undefined;
  accept: string | undefined;
  contentType: string | undefined;
  userAgent: string | undefined;
  /** Host and port that the client used. */
  host: string;
  ifNoneMatch: string | undefined;
  body: Uint8Array;
  output: OutputOptions;
}

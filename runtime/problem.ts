import { ApiError } from '../schemas/wire/cluster.ts';
import { type Connection, CredentialsError } from './api/connection.ts';
import { explainFailure, wantsHttps } from './api/explain.ts';
import { helpForRefused } from './api/refused-by-admission.ts';
import { TransportError } from './api/transport-error.ts';

/** Why the runtime cannot work with this server. `isFinal`: a retry does not help; a user has to change something first. */
export interface Problem {
  problem: string;
  help: string;
  isFinal: boolean;
}

/** A problem and its help as one message. */
export function sentenceOf({ problem, help }: Problem): string {
  return `${problem}; ${help}`;
}

/** A problem that may end without a restart: it is retried. */
export function waiting(problem: string, help: string): Problem {
  return { problem, help, isFinal: false };
}

/** A final problem: a right is missing. */
export function notAllowed(problem: string, namespace: string | undefined): Problem {
  return { problem, help: roleFor(namespace), isFinal: true };
}

/** The problem behind a failed call: message, help, and whether a retry helps. */
export function problemOf(error: unknown, connection: Connection, namespace?: string): Problem {
  const { problem, help } = explainFailure(error, connection);
  if (helpForRefused(error) !== undefined) return waiting(problem, help);
  if (isForbidden(error)) return notAllowed(problem, namespace);
  return { problem, help, isFinal: isFinal(error) };
}

/** The server refused the call of an authenticated user (403). */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 403;
}

function roleFor(namespace: string | undefined): string {
  return namespace === undefined
    ? 'bind the ClusterRole of deploy/ to it, or manage one namespace with --namespace'
    : `bind the Role of deploy/ to it in namespace ${namespace}`;
}

function isFinal(error: unknown): boolean {
  if (error instanceof CredentialsError) return true;
  if (error instanceof TransportError) return error.kind === 'tls' || error.kind === 'garbled';
  if (!(error instanceof ApiError)) return false;
  const { code } = error.status;
  return wantsHttps(error) || code === 401 || code === 403 || code === 404;
}

import { ApiError } from '../schemas/wire/cluster.ts';
import { type Connection, CredentialsError } from './api/connection.ts';
import { explainFailure, wantsHttps } from './api/explain.ts';
import { TransportError } from './api/transport-error.ts';

/** Why the runtime cannot work there. `isFinal`: trying again does not help, somebody has to do something else first. */
export interface Problem {
  problem: string;
  help: string;
  isFinal: boolean;
}

/** An obstacle as a sentence. */
export function sentenceOf({ problem, help }: Problem): string {
  return `${problem}; ${help}`;
}

/** What may pass by itself, or by what somebody does meanwhile. */
export function waiting(problem: string, help: string): Problem {
  return { problem, help, isFinal: false };
}

/** What is in the way for good: something may not be done. */
export function notAllowed(problem: string, namespace: string | undefined): Problem {
  return { problem, help: roleFor(namespace), isFinal: true };
}

/** What a failure of a call means for the runtime: in words, and whether trying again helps. */
export function problemOf(error: unknown, connection: Connection, namespace?: string): Problem {
  const { problem, help } = explainFailure(error, connection);
  if (isForbidden(error)) return notAllowed(problem, namespace);
  return { problem, help, isFinal: isFinal(error) };
}

/** The server knows who asks, and does not allow it. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 403;
}

function roleFor(namespace: string | undefined): string {
  return namespace === undefined
    ? 'give it the ClusterRole of deploy/, or let it look after one namespace with --namespace'
    : `give it the Role of deploy/ in namespace ${namespace}`;
}

function isFinal(error: unknown): boolean {
  if (error instanceof CredentialsError) return true;
  if (error instanceof TransportError) return error.kind === 'tls' || error.kind === 'garbled';
  if (!(error instanceof ApiError)) return false;
  const { code } = error.status;
  return wantsHttps(error) || code === 401 || code === 403 || code === 404;
}

import { readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Connection, Headers } from './connection.ts';
import { CredentialsError, type ConnectionProblem } from './credentials-error.ts';
import { reasonOf } from './file-reason.ts';

/**
 * The connection of a pod with its service account (`folder`: token, ca.crt, namespace). The token is read again when its
 * file has changed: the kubelet replaces it about every hour.
 */
export function accountConnection(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Connection | ConnectionProblem {
  const help =
    'check automountServiceAccountToken of the pod and of its service account, or pass --kubeconfig';
  const tokens = tokenFile(join(folder, 'token'), help);
  try {
    const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
    const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
    const ca = readFileSync(join(folder, 'ca.crt'), 'utf8');
    tokens();
    return {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      namespace: optional(join(folder, 'namespace')),
      isOfPod: true,
      user: 'the service account of the pod',
      tls: { ca, rejectUnauthorized: true },
      headers: async (refresh) => tokens(refresh),
    };
  } catch (error) {
    if (error instanceof CredentialsError) return { problem: error.message, help: error.help };
    return { problem: `the service account cannot be used: ${reasonOf(error)}`, help };
  }
}

/** Returns the header with the token of a file, which is read again when the file has changed. */
export function tokenFile(path: string, help: string): (refresh?: boolean) => Headers {
  let stamp = '';
  let headers: Headers = {};
  return (refresh = false) => {
    try {
      const { mtimeMs, ino, size } = statSync(path);
      const now = `${mtimeMs} ${ino} ${size}`;
      if (now === stamp && !refresh) return headers;
      const token = readFileSync(path, 'utf8').trim();
      if (token === '') throw new CredentialsError({ problem: `the token file ${path} is empty`, help });
      stamp = now;
      if (headers['authorization'] !== `Bearer ${token}`) headers = { authorization: `Bearer ${token}` };
      return headers;
    } catch (error) {
      if (error instanceof CredentialsError) throw error;
      throw new CredentialsError({
        problem: `the token file ${path} cannot be read: ${reasonOf(error)}`,
        help,
      });
    }
  };
}

function optional(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

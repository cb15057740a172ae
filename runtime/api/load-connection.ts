import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from './connection.ts';
import type { ConnectionProblem } from './credentials-error.ts';

export interface ConnectionOptions {
  /** A file; the environment is ignored then. */
  kubeconfig?: string;
  context?: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** The folder of the pod's service account. */
  serviceAccount?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Finds the cluster: the given file; otherwise the files of KUBECONFIG; otherwise, in a pod, its service account; otherwise
 * `~/.kube/config`. Runs the credential plugin of the file.
 */
export async function loadConnection(options: ConnectionOptions): Promise<Connection | ConnectionProblem> {
  const { kubeconfig, context, env, cwd } = options;
  const account = options.serviceAccount ?? SERVICE_ACCOUNT;
  const home = env['HOME'] ?? env['USERPROFILE'];
  const listed = (env['KUBECONFIG'] ?? '').split(process.platform === 'win32' ? ';' : ':').filter(Boolean);
  const isPod = Boolean(env['KUBERNETES_SERVICE_HOST']) && existsSync(join(account, 'token'));
  if (kubeconfig === undefined && listed.length === 0 && context === undefined && isPod) {
    const { accountConnection } = await import('./service-account.ts');
    return accountConnection(account, env);
  }
  const files =
    kubeconfig !== undefined
      ? [kubeconfig]
      : listed.length > 0
        ? listed
        : home === undefined
          ? []
          : [join(home, '.kube', 'config')];
  const { kubeconfigConnection } = await import('./kubeconfig.ts');
  return kubeconfigConnection({ files, named: kubeconfig !== undefined, context, cwd });
}

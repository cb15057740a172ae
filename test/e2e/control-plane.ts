import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crds } from '../../schemas/generated/crds.ts';
import { createRest, type Rest } from './rest.ts';

/** The Lease of the controllers of a cluster: somebody leads them. */
export const CONTROLLERS_LEASE =
  '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';

const TOKEN = 'token-of-the-administrator';
const PATIENCE_MS = 60_000;

/** So many ports of this machine that are free now. */
async function freePorts(count: number): Promise<number[]> {
  const open = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = open.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(open.map(async (server) => new Promise((resolve) => void server.close(resolve))));
  return ports;
}

const kubeconfigOf = (server: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'real', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token: TOKEN } }],
    contexts: [{ name: 'real', context: { cluster: 'real', user: 'admin' } }],
    'current-context': 'real',
  });

/** A server of our own, without nodes. */
export interface ControlPlane {
  /** The path of the administrator's kubeconfig. */
  kubeconfig: string;
  close(): Promise<void>;
}

/**
 * Starts etcd and kube-apiserver out of this folder, and kube-controller-manager where it is there, on ports of this
 * machine and with data that are gone afterwards. It serves this project's definitions. `flags`: more ones of
 * kube-apiserver.
 */
export async function startControlPlane(
  assets: string,
  flags: readonly string[] = [],
): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-control-plane-'));
  const children: ChildProcess[] = [];
  const at = (name: string): string => join(folder, name);

  function begin(program: string, args: readonly string[]): void {
    const child = spawn(join(assets, program), args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder });
    let output = '';
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (piece: string) => (output = (output + piece).slice(-4_000)));
    child.on('error', () => undefined);
    child.on('exit', (code) => {
      if (code) writeFileSync(at(`${program}.log`), output);
    });
    children.push(child);
  }

  async function close(): Promise<void> {
    await Promise.all(
      children.map(
        async (child) =>
          new Promise<void>((resolve) => {
            if (child.exitCode !== null || child.signalCode !== null) return resolve();
            child.on('exit', () => resolve());
            child.kill('SIGKILL');
          }),
      ),
    );
    rmSync(folder, { recursive: true, force: true });
  }

  const [client = 0, peer = 0, secure = 0] = await freePorts(3);
  const url = `https://127.0.0.1:${secure}`;
  const etcd = `http://127.0.0.1:${client}`;
  const kubeconfig = kubeconfigOf(url);
  mkdirSync(at('certificates'));
  writeFileSync(at('kubeconfig'), kubeconfig);
  writeFileSync(at('tokens.csv'), `${TOKEN},kubernetes-admin,1,"system:masters"\n`);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(at('accounts.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
  begin('etcd', [
    ...['--data-dir', at('etcd'), '--listen-client-urls', etcd, '--advertise-client-urls', etcd],
    ...['--listen-peer-urls', `http://127.0.0.1:${peer}`, '--unsafe-no-fsync', '--log-level', 'error'],
  ]);
  begin('kube-apiserver', [
    ...['--etcd-servers', etcd, '--bind-address', '127.0.0.1', '--secure-port', `${secure}`],
    ...['--cert-dir', at('certificates'), '--service-cluster-ip-range', '10.0.0.0/24'],
    ...['--service-account-issuer', 'https://kubernetes.default.svc'],
    ...['--service-account-key-file', at('accounts.key')],
    ...['--service-account-signing-key-file', at('accounts.key')],
    ...['--token-auth-file', at('tokens.csv'), '--authorization-mode', 'RBAC'],
    // Without a controller manager the service accounts of pods are not created.
    ...['--disable-admission-plugins', 'ServiceAccount', '--advertise-address', '127.0.0.1'],
    ...flags,
  ]);
  const { rest } = createRest(kubeconfig);
  try {
    await untilAnswers(rest, at);
    const hasManager = existsSync(join(assets, 'kube-controller-manager'));
    if (hasManager)
      begin('kube-controller-manager', [
        ...['--kubeconfig', at('kubeconfig'), '--service-account-private-key-file', at('accounts.key')],
        ...['--secure-port', '0'],
        // Each controller with its own account, as in kubeadm: policies distinguish them.
        '--use-service-account-credentials',
      ]);
    await define(rest);
    if (hasManager) await untilServed(rest, CONTROLLERS_LEASE);
    return { kubeconfig: at('kubeconfig'), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function untilAnswers(rest: Rest, at: (name: string) => string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      // The roles that come with a server are there a moment after it answers.
      await rest('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin');
      await rest('GET', '/api/v1/namespaces/default');
      return;
    } catch (error) {
      const logs = ['etcd', 'kube-apiserver'].map((program) => at(`${program}.log`)).filter(existsSync);
      const output = logs.map((path) => readFileSync(path, 'utf8')).join('\n');
      if (output !== '' || Date.now() > end)
        throw new Error(`the control plane does not answer: ${output}`, { cause: error });
      await new Promise((resolve) => void setTimeout(resolve, 200));
    }
  }
}

/** Our definitions, served. */
async function define(rest: Rest): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const definition of crds) await rest('POST', path, definition);
  for (const { metadata, spec } of crds as unknown as { metadata: { name: string }; spec: Spec }[]) {
    const [version] = spec.versions;
    await untilServed(rest, `/apis/${spec.group}/${version?.name}/${metadata.name.split('.')[0]}`);
  }
}

async function untilServed(rest: Rest, path: string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; ;) {
    try {
      await rest('GET', path);
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => void setTimeout(resolve, 200));
    }
  }
}

interface Spec {
  group: string;
  versions: { name: string }[];
}

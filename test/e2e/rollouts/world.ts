import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { bundleKruise } from '../../cli/world/bundle.ts';
import type { Binary } from '../binaries.ts';
import { start, words, type Answer } from '../run.ts';
import { startServer } from '../server.ts';
import type { TestServer } from '../test-server.ts';
import { eventually, startProgram, type Program } from './programs.ts';

/** The account that the policies accept plans from, with the component of Argo CD. */
export const ENGINE = 'system:serviceaccount:argocd:argocd-application-controller';

const SYSTEM = 'kruise-system';
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What a runtime is started with. */
export interface Runtime {
  /** Looks after this namespace alone, by the role that is shipped for that; undefined: after all of them. */
  only?: string;
  args?: readonly string[];
}

/** A server with everything installed but the runtime, and nodes that are played by `kruise kubelet`. */
export interface World {
  server: TestServer;
  /** As the last lines of the output call it. */
  name: string;
  /** Whether the controllers that come with a server run: garbage collection, disruption budgets, namespaces. */
  hasControllers: boolean;
  /** The administrator, as the server knows it. */
  user: string;
  kubectl: Binary;
  /** The bundled command line. */
  kruise: string;
  folder: string;
  /** Runs a kubectl as the administrator; throws when it is refused. */
  administer(line: string, stdin?: string): Promise<string>;
  /** The path of a kubeconfig with a token of this service account and nothing else. */
  accountIn(namespace: string, account: string): Promise<string>;
  /** Starts the runtime as a process of its own, by its service account. */
  startRuntime(runtime?: Runtime): Promise<Program>;
  /** The leader by the Lease; undefined: there is none. */
  leader(only?: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** @param components folders of `deploy/components` that are installed besides `deploy/base` */
export async function startWorld(kubectl: Binary, components: readonly string[] = []): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kruise-rollouts-')));
  const ends: (() => Promise<unknown>)[] = [];
  const server = await startServer({ nodes: 0, workloads: true });
  ends.push(() => server.close());
  const isSandbox = server.name === 'the sandbox';
  const configured = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const admin = configured('admin.kubeconfig', server.kubeconfig);
  const kruise = await bundleKruise(join(folder, 'program'));

  async function ask(line: string, stdin?: string): Promise<Answer> {
    const env = { HOME: folder, PATH: process.env['PATH'] ?? '', KUBECONFIG: admin };
    return start({ path: kubectl.path, args: words(line), env, cwd: folder, stdin }).done;
  }
  async function administer(line: string, stdin?: string): Promise<string> {
    const { code, out, err } = await ask(line, stdin);
    if (code !== 0) throw new Error(`${line}: ${err}`);
    return out;
  }
  async function leader(only?: string): Promise<string | undefined> {
    const [namespace, name] = only === undefined ? [SYSTEM, 'kruise'] : [only, `kruise-${only}`];
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
    const lease = (await server.rest('GET', path).catch(() => undefined)) as
      | { spec?: { holderIdentity?: string } }
      | undefined;
    return lease?.spec?.holderIdentity === '' ? undefined : lease?.spec?.holderIdentity;
  }

  let accountsUsed = 0;
  async function accountIn(namespace: string, account: string): Promise<string> {
    const token = (await administer(`create token ${account} -n ${namespace} --duration 2h`)).trim();
    accountsUsed += 1;
    return configured(`account-${accountsUsed}.kubeconfig`, withToken(server, token));
  }

  async function startRuntime({ only, args = [] }: Runtime = {}): Promise<Program> {
    const namespace = only ?? SYSTEM;
    if (only !== undefined) await installFor(only);
    const kubeconfig = await accountIn(namespace, 'kruise-runtime');
    const all = ['run', '--kubeconfig', kubeconfig, '--port', '0', '--log', 'json', ...args];
    const where = only === undefined ? ['--lease-namespace', SYSTEM] : ['--namespace', only];
    const program = startProgram({ kruise, args: [...all, ...where], cwd: folder });
    ends.push(() => program.kill());
    const isReady = async (): Promise<boolean> =>
      args.includes('--no-leader-election') || (await leader(only)) !== undefined;
    await eventually('the runtime leads, or stands by', async () => program.running() && isReady(), {
      context: program.output,
    });
    return program;
  }

  const installed = new Set<string>();
  /** The accounts of runtimes that the policies know, and the last change of that list. */
  const accounts = [`system:serviceaccount:${SYSTEM}:kruise-runtime`];
  let listing = Promise.resolve();
  /** Account and role of a runtime for one namespace, as kustomize makes them. */
  async function installFor(only: string): Promise<void> {
    if (installed.has(only)) return;
    installed.add(only);
    const copy = join(folder, `install-${only}`);
    cpSync(join(root, 'deploy'), join(copy, 'deploy'), { recursive: true });
    const file = join(copy, 'deploy/overlays/namespaced/kustomization.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('namespace: default', `namespace: ${only}`));
    const rendered = await administer(`kustomize ${join(copy, 'deploy/overlays/namespaced')}`);
    const objects = rendered
      .split(/^---\n/m)
      .filter((text) => /^kind: (?:ServiceAccount|Role.*)$/m.test(text));
    await administer('apply --server-side -f -', objects.join('---\n'));
    listing = listing.then(() => list(only));
    await listing;
  }

  /** Lists the account of a single-namespace runtime in the policies, as in docs/install.md. */
  async function list(only: string): Promise<void> {
    const account = `system:serviceaccount:${only}:kruise-runtime`;
    accounts.push(account);
    const value = JSON.stringify(accounts).replaceAll('"', '\\u0022');
    const patch = `[{"op":"replace","path":"/spec/variables/0/expression","value":"${value}"}]`;
    for (const [policy, attempt] of Object.entries(attemptsIn(only))) {
      await administer(`patch validatingadmissionpolicy ${policy}.plan.kruise.io --type json -p '${patch}'`);
      await eventually(`the policy ${policy} lists ${account}`, async () =>
        administer(`create --dry-run=server --as ${account} -f -`, JSON.stringify(attempt)).then(() => true),
      );
    }
  }

  try {
    await install(folder, administer, components);
    // A sandbox ends with the run; objects on another server are deleted.
    if (!isSandbox) ends.push(() => uninstall(folder, administer));
    const hasControllers = await controllersIn(server);
    const user = await administratorOf(server);
    const args = ['kubelet', '--kubeconfig', admin, '--pull-time', '100ms', '--no-events', '--cleanup'];
    // The sandbox has a scheduler of its own.
    const kubelet = startProgram({
      kruise,
      cwd: folder,
      args: isSandbox ? [...args, '--no-scheduler'] : args,
    });
    ends.push(() => kubelet.stop());
    await eventually('kruise kubelet is ready', () => kubelet.output().includes('is ready'), {
      context: kubelet.output,
    });
    return {
      server,
      name: isSandbox ? 'the sandbox' : server.name,
      hasControllers,
      user,
      kubectl,
      kruise,
      folder,
      administer,
      accountIn,
      startRuntime,
      leader,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    for (const end of ends.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What only a runtime creates in a namespace, by the policy that says so. */
function attemptsIn(namespace: string): Record<string, object> {
  const apiVersion = 'apps.kruise.io/v1beta1';
  const metadata = (kind: string): object => ({
    ...{ name: 'attempt', namespace },
    ownerReferences: [{ apiVersion, kind, name: 'web', uid: '0', controller: true }],
  });
  const labels = { app: 'attempt' };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
  };
  return {
    controllerrevisions: {
      ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: metadata('CloneSet') },
      ...{ revision: 1, data: {} },
    },
    'created-targets': { apiVersion, kind: 'CloneSet', metadata: metadata('UnitedDeployment'), spec },
  };
}

const WITHOUT_ADMISSION = {
  patch: JSON.stringify({
    $patch: 'delete',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'kruise-admission', namespace: SYSTEM },
  }),
};

/** All of `deploy` except Deployments, whose pods would have no image. */
async function install(
  folder: string,
  administer: World['administer'],
  components: readonly string[],
): Promise<void> {
  cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
  // What was installed there before may still be on its way out.
  const leaving = `get namespace ${SYSTEM} --ignore-not-found -o jsonpath={.metadata.deletionTimestamp}`;
  await eventually('no namespace on its way out', async () => (await administer(leaving)) === '');
  mkdirSync(join(folder, 'deploy/granted'));
  const granted = {
    resources: ['../rbac', '../policy'],
    components: ['argocd', ...components].map((name) => `../components/${name}`),
    patches: components.includes('admission') ? [WITHOUT_ADMISSION] : [],
  };
  writeFileSync(join(folder, 'deploy/granted/kustomization.yaml'), JSON.stringify(granted));
  const parts = ['-k namespace', '-k crds', '-k granted', '-f runtime/service-account.yaml'];
  for (const part of parts) {
    const [flag, path = ''] = part.split(' ');
    const line = `apply --server-side --force-conflicts ${flag} ${join(folder, 'deploy', path)}`;
    await administer(line);
  }
  await administer(
    'wait --for=condition=Established --timeout=30s crd/clonesets.apps.kruise.io crd/rolloutplans.plan.kruise.io crd/rolloutcommands.plan.kruise.io',
  );
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'kruise-e2e-engine' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: ENGINE }],
  };
  await administer('apply --server-side -f -', JSON.stringify(binding));
}

async function uninstall(folder: string, administer: World['administer']): Promise<void> {
  const parts = ['-k granted', '-k namespace'].map((part) => part.split(' '));
  for (const [flag, path = ''] of parts)
    await administer(`delete --ignore-not-found --wait=false ${flag} ${join(folder, 'deploy', path)}`);
  await administer('delete --ignore-not-found clusterrolebinding kruise-e2e-engine');
}

async function administratorOf({ rest }: TestServer): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { status } = (await rest('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review)) as {
    status: { userInfo: { username: string } };
  };
  return status.userInfo.username;
}

async function controllersIn({ rest }: TestServer): Promise<boolean> {
  // One of them makes this account in every namespace.
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  return eventually('controllers', async () => rest('GET', path).then(() => true), { limitMs: 10_000 }).catch(
    () => false,
  );
}

/** The kubeconfig with this token instead of its user. Over plain HTTP only credentials in the address are sent. */
function withToken({ kubeconfig, url }: TestServer, token: string): string {
  const plain = url.startsWith('http:');
  const { clusters } = parse(kubeconfig) as { clusters: { cluster: Record<string, unknown> }[] };
  const server = plain ? url.replace('//', `//runtime:${token}@`) : url;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { ...clusters[0]?.cluster, server } }],
    users: [{ name: 'u', user: plain ? {} : { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packKruise } from '../cli/world/package.ts';
import type { Shell } from './shell.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A clone as far as the commands of the pages need one. */
export function cloneInto(folder: string): void {
  for (const part of ['examples', 'deploy'])
    cpSync(join(root, part), join(folder, 'clone', part), { recursive: true });
}

/** The folder of a clone in which the package was made, and nothing that is installed from anywhere else. */
export async function packaged(shell: Shell, folder: string): Promise<void> {
  const archive = packKruise(folder);
  // No network: what is installed is in the package.
  writeFiles(folder, { '.npmrc': 'offline=true\nupdate-notifier=false\n' });
  await prepare(
    shell,
    `rm ${folder}/.bin/kruise && mkdir ${folder}/kruise && mv ${archive} ${folder}/kruise`,
    `cd ${folder}`,
  );
}

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Starts a sandbox that nobody types, with these options, as the cluster of the shell. */
export async function sandbox(shell: Shell, folder: string, options: string): Promise<void> {
  const kubeconfig = join(folder, 'cluster.kubeconfig');
  const { out } = await shell.start(`kruise sandbox --kubeconfig ${kubeconfig} ${options}`, /Ctrl-C/);
  if (!out.includes('Ctrl-C')) throw new Error(`the sandbox did not start: ${out}`);
  await shell.run(`export KUBECONFIG=${kubeconfig}`);
}

/** Runs what prepares a page, and fails with what it printed. */
export async function prepare(shell: Shell, ...commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const { out, code } = await shell.run(command);
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${out}`);
  }
}

/** The example with an approval, in a cluster with a fast clock, until its plan waits for a person. */
export async function awaitingApproval(shell: Shell, folder: string): Promise<void> {
  await sandbox(shell, folder, '--load examples/approval/1-nginx-1.25 --speed 20 --quiet');
  await prepare(
    shell,
    "kubectl wait clone/web -n shop --for=jsonpath='{.status.availableReplicas}'=4",
    'kubectl apply -R -f examples/approval/2-nginx-1.27/manifests -f examples/approval/2-nginx-1.27/plans',
    "kubectl wait rolloutplan/cloneset-web -n shop --for=jsonpath='{.status.phase}'=AwaitingApproval",
  );
}

/** A repository whose two commits are a manifest with its plan, the second on `origin/main`. */
export async function committedPlan(shell: Shell, folder: string): Promise<void> {
  cpSync(join(root, 'examples/approval'), join(folder, 'approval'), { recursive: true });
  await prepare(
    shell,
    `mkdir ${folder}/repository && cd ${folder}/repository && git init --quiet --initial-branch=main`,
    'cp -r ../approval/1-nginx-1.25/* . && git add . && git commit --quiet --message "nginx 1.25"',
    'cp -r ../approval/2-nginx-1.27/* . && git add . && git commit --quiet --message "nginx 1.27"',
    'git update-ref refs/remotes/origin/main HEAD',
  );
}

/** A repository with an overlay of kustomize, committed on `origin/main`, in which an image was changed since. */
export async function kustomized(shell: Shell, folder: string): Promise<void> {
  const overlay = (tag: string): string =>
    `resources: [../../base]\nimages: [{ name: nginx, newTag: '${tag}' }]\n`;
  writeFiles(join(folder, 'repository'), {
    'base/kustomization.yaml': 'resources: [web.yaml]\n',
    'base/web.yaml': `apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: { name: web, namespace: shop }
spec:
  replicas: 4
  selector: { matchLabels: { app: web } }
  updateStrategy: { type: InPlaceIfPossible }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: nginx, image: nginx, readinessProbe: { tcpSocket: { port: 80 } } }]
`,
    'overlays/prod/kustomization.yaml': overlay('1.25'),
  });
  await prepare(
    shell,
    `cd ${folder}/repository && git init --quiet --initial-branch=main`,
    'git add . && git commit --quiet --message "nginx 1.25" && git update-ref refs/remotes/origin/main HEAD',
  );
  writeFiles(join(folder, 'repository'), { 'overlays/prod/kustomization.yaml': overlay('1.27') });
}

/** A StatefulSet and a DaemonSet of Kubernetes that run, and their manifests with the `apiVersion` of OpenKruise. */
export async function ofKubernetes(shell: Shell, folder: string): Promise<void> {
  const manifest = (apiVersion: string): string => `apiVersion: ${apiVersion}
kind: StatefulSet
metadata: { name: web, namespace: shop }
spec:
  replicas: 3
  serviceName: web
  selector: { matchLabels: { app: web } }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - { name: nginx, image: 'nginx:1.25', volumeMounts: [{ name: data, mountPath: /data }] }
`;
  const agent = (apiVersion: string): string => `apiVersion: ${apiVersion}
kind: DaemonSet
metadata: { name: agent, namespace: ops }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: main, image: 'busybox:1.36' }] }
`;
  const namespace = (name: string): string =>
    `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`;
  writeFiles(folder, {
    'before/web.yaml': `${namespace('shop')}---\n${manifest('apps/v1')}`,
    'before/agent.yaml': `${namespace('ops')}---\n${agent('apps/v1')}`,
    'repository/manifests/web.yaml': manifest('apps.kruise.io/v1beta1'),
    'repository/agents/agent.yaml': agent('apps.kruise.io/v1beta1'),
  });
  await sandbox(shell, folder, `--load ${folder}/before --speed 20 --quiet`);
  await prepare(
    shell,
    `cd ${folder}/repository`,
    "kubectl wait statefulsets.apps/web -n shop --for=jsonpath='{.status.availableReplicas}'=3",
    "kubectl wait daemonsets.apps/agent -n ops --for=jsonpath='{.status.numberAvailable}'=3",
  );
}

/** What an installation of OpenKruise has that its way out names, and a CloneSet. */
export async function openKruise(shell: Shell, folder: string): Promise<void> {
  await sandbox(shell, folder, '--no-runtime --load examples/approval/1-nginx-1.25 --quiet');
  const workload = (kind: string, name: string): string => `apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name}, namespace: kruise-system }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: openkruise/kruise-manager:v1.9.0 }] }
`;
  const webhook = (kind: string): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata: { name: kruise-${kind.toLowerCase()}-webhook-configuration }
webhooks: []
`;
  writeFiles(folder, {
    'installed.yaml': [
      'apiVersion: v1\nkind: Namespace\nmetadata: { name: kruise-system }\n',
      workload('Deployment', 'kruise-controller-manager'),
      workload('Deployment', 'kruise-runtime'),
      workload('DaemonSet', 'kruise-daemon'),
      webhook('Mutating'),
      webhook('Validating'),
    ].join('---\n'),
  });
  await prepare(shell, `kubectl apply -f ${folder}/installed.yaml`);
}

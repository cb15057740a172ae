import { main } from '../../../cli/dispatch.ts';
import { memoryHost } from '../../cli/world/memory-host.ts';
import type { Files } from './engine.ts';

/** One pod, a person's word, the rest. */
const GATED = `steps:
  - match: {}
    batches: [{ to: 1 }, { to: 100% }]
    approve: [1]
`;
/** One pod, and the rest. */
const PLAIN = `steps:
  - match: {}
    batches: [{ to: 1 }, { to: 100% }]
`;

export interface Manifest {
  image: string;
  /** The generated ConfigMap that the pods of this state read, by the end of its name. */
  config?: string;
}

const REPLICAS = 4;

/** The files of a CloneSet `web`, with the annotations that docs/how-to/argo-cd.md gives to generated objects. */
function manifests({ image, config }: Manifest): Record<string, string> {
  const reads = config === undefined ? '' : `, envFrom: [{ configMapRef: { name: web-${config} } }]`;
  return {
    'manifests/web.yaml': `apiVersion: apps.kruise.io/v1beta1
kind: CloneSet
metadata:
  name: web
  namespace: shop
  annotations: { plan.kruise.io/policy: Required }
spec:
  replicas: ${REPLICAS}
  selector: { matchLabels: { app: web } }
  updateStrategy: { rollingUpdate: { podUpdatePolicy: InPlaceIfPossible, maxUnavailable: 1 } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{ name: main, image: '${image}'${reads} }]
`,
    ...(config !== undefined && {
      'manifests/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: web-${config}
  namespace: shop
  annotations:
    argocd.argoproj.io/sync-options: Prune=false
    argocd.argoproj.io/compare-options: IgnoreExtraneous
data: { LEVEL: '${config}' }
`,
    }),
  };
}

/**
 * The git states that a history goes through, each with the plans that `kruise plan` writes against the one before; undefined: the
 * manifest is removed.
 */
export async function commits(
  history: readonly (Manifest | undefined)[],
  { gated = false, namespace }: { gated?: boolean; namespace: string },
): Promise<Files[]> {
  const states: Files[] = [];
  let base: Record<string, string> = {};
  for (const manifest of history) {
    const plans = Object.entries(base).filter(([path]) => path.startsWith('plans/'));
    const next = {
      ...Object.fromEntries(plans),
      ...(manifest === undefined ? {} : manifests(manifest)),
      'kruise.yaml': gated ? GATED : PLAIN,
    };
    base = await planned(inNamespace(next, namespace), base);
    states.push(new Map(Object.entries(base)));
  }
  return states;
}

/** A git state without the annotations by which old generated objects stay. */
export const unprotected = (files: Files): Files =>
  new Map(
    [...files].map(([path, text]) => [path, text.replaceAll(/^ {2}annotations:\n( {4}argocd.*\n)+/gm, '')]),
  );

const inNamespace = (files: Record<string, string>, namespace: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      text.replace('namespace: shop', `namespace: ${namespace}`),
    ]),
  );

async function planned(
  files: Record<string, string>,
  base: Record<string, string>,
): Promise<Record<string, string>> {
  const below = (folder: string, all: Record<string, string>): [string, string][] =>
    Object.entries(all).map(([path, text]) => [`${folder}/${path}`, text]);
  const marks: [string, string][] = [
    ['/repo/.git/HEAD', ''],
    ['/base/.git/HEAD', ''],
  ];
  const host = memoryHost(Object.fromEntries([...marks, ...below('/repo', files), ...below('/base', base)]), {
    cwd: '/repo',
    env: { NO_COLOR: '1' },
  });
  const code = await main(host, ['plan', '--base-dir', '/base']);
  if (code !== 0) throw new Error(`kruise plan: ${host.err}`);
  return Object.fromEntries(
    [...host.files].flatMap(([path, text]) => {
      const own = /^\/repo\/(?!\.git)(.*)$/.exec(path)?.[1];
      return own === undefined || typeof text !== 'string' ? [] : [[own, text]];
    }),
  );
}

import { compile, type Compiled } from '../../../compiler/compile.ts';
import { memoryHost } from '../../cli/world/memory-host.ts';
import { randomOf } from '../../random.ts';
import type { Files } from './history.ts';

/** One service of a fleet, in one state. */
interface Service {
  kind: 'CloneSet' | 'StatefulSet';
  namespace: string;
  name: string;
  replicas: number;
  maxUnavailable: string;
  /** The images of its two containers. */
  app: string;
  log: string;
  /** The value of a variable, which no running container changes. */
  mode: string;
  /** Whether its rule of kruise.yaml has no gate. */
  isUngated: boolean;
}

/** What a commit does to a service; undefined: it is gone. */
type Edit = (service: Service) => Service | undefined;

const nextLog: Edit = (service) => ({ ...service, log: 'log:2' });
const nextMode: Edit = (service) => ({ ...service, log: 'log:2', mode: 'slow' });
const nextApp: Edit = (service) => ({ ...service, app: service.app.replace(/:1$/, ':2') });
const scaled: Edit = (service) => ({ ...service, replicas: service.replicas + 2 });
const gone: Edit = () => undefined;

/** What a fleet of 300 has beside the next image of `log`, each with how many services. */
const VARIETY: readonly (readonly [Edit, number])[] = [
  [gone, 3],
  [nextMode, 12],
  [nextApp, 6],
  [scaled, 5],
];

/** A commit over many services, and the name of the one that is dangerous: recreated, all at once, without a gate. */
export interface Fleet {
  files: Files;
  dangerous: string;
}

/**
 * `count` services in three namespaces, and a commit that gives all of them the next image of `log`. One of them, which is drawn,
 * it also recreates. From 100 services on there are further changes.
 */
export function fleet(count: number, seed: number): Fleet {
  const random = randomOf(seed);
  const drawn = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const chosen = Math.floor(random() * count);
  const edits = [
    ...(count < 100 ? [] : VARIETY.flatMap(([edit, times]) => Array.from({ length: times }, () => edit))),
  ];
  const services = Array.from({ length: count }, (_, index): Service => ({
    kind: count >= 100 && index % 50 === 49 ? 'StatefulSet' : 'CloneSet',
    namespace: drawn(['pay', 'search', 'shop']),
    name: `app-${String(index + 1).padStart(3, '0')}`,
    replicas: drawn([5, 10, 20]),
    maxUnavailable: '2',
    app: `app-${index + 1}:1`,
    log: 'log:1',
    mode: 'fast',
    isUngated: false,
  }));
  const dangerous = services[chosen] as Service;
  Object.assign(dangerous, { kind: 'CloneSet', maxUnavailable: '100%', isUngated: true });
  const after = services.map((service) => {
    if (service === dangerous) return nextMode(service);
    const at = random() * count < edits.length * 1.5 ? Math.floor(random() * edits.length) : -1;
    const [edit = nextLog] = at < 0 ? [] : edits.splice(at, 1);
    return edit(service);
  });
  const created =
    count < 100 ? [] : [1, 2, 3, 4].map((n) => ({ ...dangerous, name: `new-${n}`, maxUnavailable: '2' }));
  return {
    files: filesOf(services, [...after.flatMap((service) => service ?? []), ...created]),
    dangerous: `${dangerous.namespace}/${dangerous.name}`,
  };
}

/** A commit that gives each of `count` services another image of its own, and every tenth another variable. */
export function differingFleet(count: number): Files {
  const services = Array.from({ length: count }, (_, index): Service => ({
    kind: 'CloneSet',
    namespace: 'shop',
    name: `app-${String(index + 1).padStart(3, '0')}`,
    replicas: 10,
    maxUnavailable: '2',
    app: `registry.example.com/team-${index + 1}/app:1`,
    log: 'log:1',
    mode: 'fast',
    isUngated: false,
  }));
  return filesOf(
    services,
    services.map((service, index) => ({
      ...service,
      app: service.app.replace(/:1$/, `:${index + 2}`),
      mode: index % 10 === 5 ? 'slow' : 'fast',
    })),
  );
}

const CONFIG = `steps:
- match: {labels: {gates: none}}
- match: {}
  batches: [{to: 5%}, {to: 50%}, {to: 100%}]
  between: {soak: 10m}
  approve: [1]
  onFailure: Revert
`;

function filesOf(base: readonly Service[], head: readonly Service[]): Files {
  return {
    'base/apps.yaml': base.map(manifestOf).join('---\n'),
    'head/apps.yaml': head.map(manifestOf).join('---\n'),
    'head/kruise.yaml': CONFIG,
  };
}

function manifestOf(service: Service): string {
  const { kind, namespace, name, replicas, maxUnavailable, app, log, mode, isUngated } = service;
  return [
    `apiVersion: apps.kruise.io/${kind === 'CloneSet' ? 'v1alpha1' : 'v1beta1'}`,
    `kind: ${kind}`,
    'metadata:',
    `  name: ${name}`,
    `  namespace: ${namespace}`,
    ...(isUngated ? ['  labels:', '    gates: none'] : []),
    'spec:',
    `  replicas: ${replicas}`,
    ...(kind === 'StatefulSet' ? [`  serviceName: ${name}`, '  podManagementPolicy: Parallel'] : []),
    '  selector:',
    '    matchLabels:',
    `      app: ${name}`,
    '  updateStrategy:',
    ...(kind === 'CloneSet'
      ? ['    type: InPlaceIfPossible', `    maxUnavailable: ${maxUnavailable}`]
      : [
          '    type: RollingUpdate',
          '    rollingUpdate:',
          '      podUpdatePolicy: InPlaceIfPossible',
          `      maxUnavailable: ${maxUnavailable}`,
        ]),
    '  template:',
    '    metadata:',
    '      labels:',
    `        app: ${name}`,
    '    spec:',
    '      readinessGates:',
    '      - conditionType: InPlaceUpdateReady',
    '      containers:',
    '      - name: main',
    `        image: ${app}`,
    '        env:',
    '        - name: MODE',
    `          value: ${mode}`,
    '        readinessProbe:',
    '          tcpSocket:',
    '            port: 80',
    '      - name: log',
    `        image: ${log}`,
    '',
  ].join('\n');
}

/** What a run finds in these files. */
export function compiledFleet(files: Files): Compiled {
  const state = (root: string) => ({
    root: `/repo/${root}`,
    paths: [`/repo/${root}`],
    plans: `/repo/${root}/plans`,
  });
  return compile(memoryHost(files), { head: state('head'), base: state('base'), strict: false });
}

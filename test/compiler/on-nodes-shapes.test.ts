import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { planned } from './world/history.ts';

/** Shapes in which DaemonSets are written, each with this image. */
const shapes: readonly [what: string, manifest: (image: string) => string][] = [
  [
    'v1alpha1 without a namespace, with the strategy after the template and a partition of 0',
    (image) => `apiVersion: apps.kruise.io/v1alpha1
kind: DaemonSet
metadata:
  name: log
spec:
  selector:
    matchLabels:
      app: log
  template:
    metadata:
      labels:
        app: log
    spec:
      containers:
        - name: main
          image: ${image}
          resources:
            limits:
              cpu: "100m"
              memory: "200Mi"
  updateStrategy:
    rollingUpdate:
      maxUnavailable: 1
      partition: 0
      rollingUpdateType: Standard
    type: RollingUpdate
`,
  ],
  [
    'v1alpha1 with a type alone, and a named port',
    (image) => `apiVersion: apps.kruise.io/v1alpha1
kind: DaemonSet
metadata:
  name: log
  namespace: ops
spec:
  updateStrategy:
    type: RollingUpdate
    rollingUpdate:
      rollingUpdateType: Standard
  selector:
    matchLabels:
      k8s-app: log
  template:
    metadata:
      labels:
        k8s-app: log
    spec:
      containers:
      - image: ${image}
        name: main
        ports:
        - name: http
          containerPort: 80
`,
  ],
  [
    'v1beta1 without a strategy',
    (image) => `apiVersion: apps.kruise.io/v1beta1
kind: DaemonSet
metadata: {name: log, namespace: ops}
spec:
  selector: {matchLabels: {app: log}}
  template:
    metadata: {labels: {app: log}}
    spec: {containers: [{name: main, image: '${image}'}]}
`,
  ],
];

/** The codes of what is reported on standard error. */
const codesIn = (text: string): string[] => text.match(/KR[0-9]{4}/g) ?? [];

describe('a DaemonSet as it is usually written is planned', () => {
  test.each(shapes)('%s', async (_what, manifest) => {
    const first = { 'log.yaml': manifest('log:1') };
    const created = await planned({ 'notes.txt': '' }, first);
    expect({ code: created.code, err: created.host.err }).toEqual({ code: 0, err: '' });
    const { code, host, files } = await planned(first, { 'log.yaml': manifest('log:2') });
    // It has neither a readiness probe nor minReadySeconds.
    expect({ code, codes: codesIn(host.err) }).toEqual({ code: 0, codes: ['KR2135'] });
    const [, plan = ''] =
      Object.entries(files).find(([path]) => path.endsWith('/daemonset-log/plan.yaml')) ?? [];
    const { spec } = parse(plan) as RolloutPlan;
    // Pods are recreated by default, one node at a time (OpenKruise advanced-daemonset, section 2).
    expect(spec).toMatchObject({
      to: { bound: { partition: 0 } },
      from: [{ mode: 'Recreate' }],
      steps: [{ id: 'update', update: { to: '100%' } }],
    });
  });
});

import { readFileSync } from 'node:fs';
import { repositoryPath } from '../../schemas/generate/schema.ts';

/** Where a manifest is used: by a runtime for the whole cluster, by one for a namespace, or by both. */
type Scope = 'cluster' | 'namespace' | 'both';

/** A manifest of the chart, and the value that switches it on, or several with spaces between them; undefined: it is always there. */
interface Part {
  path: string;
  value: string | undefined;
  scope: Scope;
}

const parts: readonly Part[] = [
  ...switched('createNamespace', 'namespace', ['namespace']),
  ...switched(undefined, 'rbac', ['runtime', 'people']),
  ...switched('policies', 'policy', ['plans', 'commands', 'revisions', 'runtime', 'created', 'accounts']),
  ...switched(
    undefined,
    'runtime',
    ['service-account', 'deployment', 'disruption-budget', 'service', 'network-policy'],
    'both',
  ),
  ...switched(undefined, 'overlays/namespaced', ['role'], 'namespace'),
  ...switched('nativeWorkloads', 'overlays/namespaced/native-workloads', ['role'], 'namespace'),
  ...switched('deletionProtection', 'components/deletion-protection', ['policy']),
  ...switched('budgetProtection', 'components/budget-protection', ['policy']),
  ...switched('copyProtection', 'components/copy-protection', ['policy']),
  ...switched('cascadingProtection', 'components/cascading-protection', ['rbac', 'policy']),
  ...switched('admission.enabled', 'components/admission', [
    'rbac',
    'service-account',
    'service',
    'deployment',
    'disruption-budget',
    'network-policy',
  ]),
  ...switched('admission.enabled admission.exactBudgets', 'components/admission-exact', ['rbac']),
  ...switched('admission.enabled admission.spreads', 'components/admission-spreads', ['rbac']),
  ...switched('launchEverywhere', 'components/launch-everywhere', ['rbac']),
  ...switched('nativeWorkloads', 'components/native-workloads', ['policy', 'rbac']),
  ...switched('distributions', 'components/distributions', ['rbac']),
  ...switched('secrets', 'components/secrets', ['policy', 'rbac']),
  ...switched('containerExec', 'components/container-exec', ['policy', 'rbac']),
  ...switched('serviceMonitor', 'components/service-monitor', ['service-monitor'], 'both'),
  ...switched('alerts', 'components/alerts', ['prometheus-rule'], 'both'),
];

function switched(
  value: string | undefined,
  folder: string,
  names: readonly string[],
  scope: Scope = 'cluster',
): Part[] {
  return names.map((name) => ({ path: `deploy/${folder}/${name}.yaml`, value, scope }));
}

/** The condition of a part; undefined: it is always there. */
function conditionOf({ value, scope }: Part): string | undefined {
  const own = value === undefined ? [] : value.split(' ').map((each) => `.Values.${each}`);
  const all = {
    cluster: ['(not .Values.onlyNamespace)', ...own],
    namespace: ['.Values.onlyNamespace', ...own],
    both: own,
  }[scope];
  return all.length > 1 ? `and ${all.join(' ')}` : all[0]?.replace(/^\((.*)\)$/, '$1');
}

const SYSTEM = 'kruise-system';
const ONLY = '{{ .Values.onlyNamespace }}';

/** A manifest in the namespace that its scope says. */
function placed(text: string, scope: Scope): string {
  if (scope === 'cluster') return text;
  const namespace = scope === 'namespace' ? ONLY : `{{ .Values.onlyNamespace | default "${SYSTEM}" }}`;
  return text
    .replaceAll(`namespace: ${SYSTEM}\n`, `namespace: ${namespace}\n`)
    .replaceAll('kruise-NAMESPACE', `kruise-${ONLY}`);
}

/** The runtime and the admission decide by one policy. */
const POLICY = ['- --policy=Required', '- {{ printf "--policy=%s" .Values.policy | toJson }}'] as const;

/** What the patches of the components change, by manifest: a text that is there once, and what takes its place. */
const changes: Readonly<Record<string, readonly (readonly [text: string, template: string])[]>> = {
  'deploy/policy/plans.yaml': accounts(),
  'deploy/policy/commands.yaml': accounts(),
  'deploy/components/deletion-protection/policy.yaml': [
    [
      "areChildrenCounted\n      expression: 'false'",
      'areChildrenCounted\n      expression: {{ .Values.cascadingProtection | toJson | quote }}',
    ],
  ],
  'deploy/runtime/deployment.yaml': [
    ['image: kruise-runtime:0.1.0', 'image: {{ .Values.image | toJson }}'],
    POLICY,
    ...checks(),
    ...oneNamespace(),
  ],
  'deploy/components/admission/deployment.yaml': [
    ['image: kruise-runtime:0.1.0', 'image: {{ .Values.image | toJson }}'],
    POLICY,
    [
      '            - --log=json\n',
      '            - --log=json\n{{- if .Values.admission.exactBudgets }}\n            - --exact-budgets\n{{- end }}\n{{- if .Values.admission.spreads }}\n            - --spreads\n{{- end }}\n',
    ],
  ],
  'deploy/components/admission/network-policy.yaml': [
    [
      '    - ports:\n        - protocol: TCP\n          port: reviews\n',
      `    {{- if .Values.admission.apiServers }}
    - from:
        {{- range .Values.admission.apiServers }}
        - ipBlock:
            cidr: {{ . | toJson }}
        {{- end }}
      ports:
    {{- else if .Values.admission.exactBudgets }}
    {{- fail "admission.exactBudgets needs admission.apiServers: whoever else reaches the port could use up slots of budgets" }}
    {{- else if .Values.admission.spreads }}
    {{- fail "admission.spreads needs admission.apiServers: whoever else reaches the port could use up places of subsets" }}
    {{- else }}
    - ports:
    {{- end }}
        - protocol: TCP
          port: reviews
`,
    ],
  ],
};

function accounts(): [string, string][] {
  return ['argocd', 'flux', 'listed'].map((name) => [
    `    - name: ${name}\n      expression: '[]'\n`,
    `    - name: ${name}\n      expression: {{ .Values.accounts.${name} | toJson | quote }}\n`,
  ]);
}

/** A text that stays, and lines after it that are there only with a value. */
function followed(value: string, text: string, lines: string): [string, string] {
  return [text, `${text}{{- if .Values.${value} }}\n${lines}{{- end }}\n`];
}

/** What `deploy/overlays/namespaced` changes. */
function oneNamespace(): [string, string][] {
  return [
    followed('onlyNamespace', '            - run\n', '            - --namespace=$(NAMESPACE)\n'),
    followed(
      'onlyNamespace',
      '          env:\n',
      `            - name: NAMESPACE
              valueFrom:
                fieldRef:
                  fieldPath: metadata.namespace
`,
    ),
  ];
}

/** What the component `checks` changes. */
function checks(): [string, string][] {
  const withChecks = (text: string, lines: string): [string, string] => followed('checks', text, lines);
  return [
    withChecks('            - --log=json\n', '            - --config=/etc/kruise/config.json\n'),
    withChecks(
      '              drop: [ALL]\n',
      `          volumeMounts:
            - name: checks
              mountPath: /etc/kruise
              readOnly: true
      volumes:
        - name: checks
          secret:
            secretName: kruise-checks
            # 0440: for the group of the process alone.
            defaultMode: 288
`,
    ),
  ];
}

/** What a runtime for one namespace does not have, and nothing switches on as shipped. */
const OF_THE_CLUSTER = [
  ...['admission.enabled', 'admission.exactBudgets', 'admission.spreads', 'admission.apiServers'],
  ...[
    'cascadingProtection',
    'launchEverywhere',
    'containerExec',
    'accounts.argocd',
    'accounts.flux',
    'accounts.listed',
  ],
];

/** Refuses values that would count for nothing. It makes no object. */
function ofOneNamespace(): string {
  const checked = OF_THE_CLUSTER.map(
    (value) =>
      `{{- if .Values.${value} }}\n{{- fail "${value} is for a whole cluster: leave it out, or leave onlyNamespace out" }}\n{{- end }}\n`,
  );
  return `{{- if .Values.onlyNamespace }}\n${checked.join('')}{{- end }}\n`;
}

/**
 * The templates of the Helm chart by repository path: the manifests that kustomize uses, each behind its value.
 *
 * @param generated manifests that are not written yet, by repository path
 */
export function chartOutputs(generated: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([
    ['deploy/chart/templates/one-namespace.yaml', ofOneNamespace()],
    ...parts.map((part): [string, string] => {
      const { path, scope } = part;
      const name = path.replace(/^deploy\/(?:components\/)?/, '').replaceAll('/', '-');
      const text = (changes[path] ?? []).reduce(
        (before, change) => replaced(before, change, path),
        generated.get(path) ?? readFileSync(repositoryPath(path), 'utf8'),
      );
      const condition = conditionOf(part);
      const own = placed(text, scope);
      const whole = condition === undefined ? own : `{{- if ${condition} }}\n${own}{{- end }}\n`;
      return [`deploy/chart/templates/${name}`, whole];
    }),
  ]);
}

function replaced(text: string, [from, to]: readonly [string, string], path: string): string {
  if (text.split(from).length !== 2) throw new Error(`${path} does not have once: ${from}`);
  return text.replace(from, () => to);
}

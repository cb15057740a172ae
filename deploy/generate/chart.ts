import { readFileSync } from 'node:fs';
import { repositoryPath } from '../../schemas/generate/schema.ts';

/** A manifest of the chart, and the value that switches it on; undefined: it is always there. */
interface Part {
  path: string;
  value: string | undefined;
}

const parts: readonly Part[] = [
  ...switched('createNamespace', 'namespace', ['namespace']),
  ...switched(undefined, 'rbac', ['runtime', 'people']),
  ...switched('policies', 'policy', ['plans', 'commands', 'revisions', 'runtime', 'created', 'accounts']),
  ...switched(undefined, 'runtime', [
    'service-account',
    'deployment',
    'disruption-budget',
    'service',
    'network-policy',
  ]),
  ...switched('deletionProtection', 'components/deletion-protection', ['policy']),
  ...switched('budgetProtection', 'components/budget-protection', ['policy']),
  ...switched('cascadingProtection', 'components/cascading-protection', ['rbac', 'policy']),
  ...switched('admission.enabled', 'components/admission', [
    'rbac',
    'service-account',
    'service',
    'deployment',
    'disruption-budget',
    'network-policy',
  ]),
  ...switched('launchEverywhere', 'components/launch-everywhere', ['rbac']),
  ...switched('nativeWorkloads', 'components/native-workloads', ['rbac']),
  ...switched('serviceMonitor', 'components/service-monitor', ['service-monitor']),
];

function switched(value: string | undefined, folder: string, names: readonly string[]): Part[] {
  return names.map((name) => ({ path: `deploy/${folder}/${name}.yaml`, value }));
}

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
    ...checks(),
  ],
  'deploy/components/admission/deployment.yaml': [
    ['image: kruise-runtime:0.1.0', 'image: {{ .Values.image | toJson }}'],
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

/** A text that stays, and lines after it that are there only with the component `checks`. */
function checks(): [string, string][] {
  const withChecks = (text: string, lines: string): [string, string] => [
    text,
    `${text}{{- if .Values.checks }}\n${lines}{{- end }}\n`,
  ];
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

/**
 * The templates of the Helm chart by repository path: the manifests that kustomize uses, each behind its value.
 *
 * @param generated manifests that are not written yet, by repository path
 */
export function chartOutputs(generated: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    parts.map(({ path, value }) => {
      const name = path.replace(/^deploy\/(?:components\/)?/, '').replaceAll('/', '-');
      const text = (changes[path] ?? []).reduce(
        (before, change) => replaced(before, change, path),
        generated.get(path) ?? readFileSync(repositoryPath(path), 'utf8'),
      );
      const whole = value === undefined ? text : `{{- if .Values.${value} }}\n${text}{{- end }}\n`;
      return [`deploy/chart/templates/${name}`, whole];
    }),
  );
}

function replaced(text: string, [from, to]: readonly [string, string], path: string): string {
  if (text.split(from).length !== 2) throw new Error(`${path} does not have once: ${from}`);
  return text.replace(from, () => to);
}

import type { MatchCondition } from '../../semantics/kinds/admission.ts';
import { policedKinds, policyName } from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { unreviewedConditions } from '../../semantics/kinds/unreviewed-requests.ts';
import { resourceRules } from './confined.ts';
import { isTheRuntime } from './expressions.ts';

/** The policies by which an API server decides about pods by objects of these kinds, and their bindings, as YAML. */
export function podPolicies(kinds: readonly Kind[]): string {
  return policedKinds(kinds)
    .flatMap(({ kind, rules }) => {
      const name = policyName(rules);
      const { group, version, kind: parameter } = kind.resource;
      // An account of the runtime has taken its slots before it acts.
      const own = { name: 'is-not-the-runtime', expression: `!(${isTheRuntime})` };
      const conditions = [...rules.conditions, own, ...unreviewedConditions([])];
      return [
        [
          ...headOf('ValidatingAdmissionPolicy', name),
          '  # Without the definition of its parameter every request would be an error, and no pod be deleted any more.',
          '  failurePolicy: Ignore',
          '  paramKind:',
          `    apiVersion: ${group}/${version}`,
          `    kind: ${parameter}`,
          '  matchConstraints:',
          '    resourceRules:',
          ...indented(resourceRules([['', 'pods']], ['UPDATE', 'DELETE']), 6),
          ...indented(resourceRules([['', 'pods/resize']], ['UPDATE']), 6),
          '  matchConditions:',
          ...conditions.flatMap(named),
          '  variables:',
          ...rules.variables.flatMap(named),
          '  validations:',
          ...rules.validations.flatMap(({ expression, messageExpression }) => [
            ...folded('    - ', 'expression', expression),
            ...folded('      ', 'messageExpression', messageExpression),
            '      reason: Forbidden',
          ]),
        ].join('\n'),
        [
          ...headOf('ValidatingAdmissionPolicyBinding', name),
          `  policyName: ${name}`,
          '  validationActions: [Deny, Audit]',
          '  # Every object in the namespace of the pod.',
          '  paramRef:',
          '    selector: {}',
          '    parameterNotFoundAction: Allow',
        ].join('\n'),
      ];
    })
    .join('\n---\n');
}

function headOf(kind: string, name: string): string[] {
  return [
    'apiVersion: admissionregistration.k8s.io/v1',
    `kind: ${kind}`,
    'metadata:',
    `  name: ${name}`,
    'spec:',
  ];
}

function named({ name, expression }: MatchCondition): string[] {
  return [`    - name: ${name}`, ...folded('      ', 'expression', expression)];
}

/** A text without line breaks, in a form that needs no quotes. */
function folded(before: string, field: string, text: string): string[] {
  return [`${before}${field}: >-`, `${' '.repeat(before.length)}  ${text}`];
}

const indented = (lines: string, by: number): string[] =>
  lines.split('\n').map((line) => `${' '.repeat(by)}${line}`);

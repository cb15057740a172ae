import { check } from '../../sandbox/schema/cel/check.ts';
import { compile } from '../../sandbox/schema/cel/evaluate.ts';
import { functions, typeNames, typeValues } from '../../sandbox/schema/cel/library.ts';
import { parse } from '../../sandbox/schema/cel/parse.ts';
import { dynType } from '../../sandbox/schema/cel/types.ts';
import { dictOf, type Dict, isDict, listOf, type Value } from '../../sandbox/schema/cel/values.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** A request as admission policies see it. */
export interface Reviewed {
  object?: KubeObject | undefined;
  oldObject?: KubeObject | undefined;
  request: object;
}

interface PolicySpec {
  matchConditions?: { expression: string }[];
  variables?: { name: string; expression: string }[];
  validations: { expression: string; messageExpression: string }[];
}

const NAMES = ['object', 'oldObject', 'request', 'variables'];

/**
 * What an admission policy says about a request: the message of the first validation that fails, or `allowed`, also where the
 * policy does not apply. The expressions are evaluated by the CEL of the sandbox.
 */
export function evaluatePolicy(policy: KubeObject, { object, oldObject, request }: Reviewed): string {
  const { matchConditions = [], variables = [], validations } = policy['spec'] as PolicySpec;
  const expressions = new Map(variables.map(({ name, expression }) => [name, expression]));
  const lazily: Dict = {
    kind: 'map',
    size: variables.length,
    keys: () => [...expressions.keys()],
    get(name) {
      const expression = typeof name === 'string' ? expressions.get(name) : undefined;
      return expression === undefined ? undefined : evaluate(expression);
    },
  };
  const evaluate = (text: string): Value => {
    const { root, problems } = parse(text);
    if (root === undefined) throw new Error(`${text}: ${JSON.stringify(problems)}`);
    const names = new Map([...typeNames, ...NAMES.map((name) => [name, dynType] as const)]);
    const { checked, problems: faults } = check(root, { functions, names });
    if (checked === undefined) throw new Error(`${text}: ${JSON.stringify(faults)}`);
    const run = compile(root, checked, NAMES, typeValues);
    return run([valueOf(object), valueOf(oldObject), valueOf(request), lazily]);
  };
  if (!matchConditions.every(({ expression }) => evaluate(expression) === true)) return 'allowed';
  const failed = validations.find(({ expression }) => evaluate(expression) !== true);
  if (failed === undefined) return 'allowed';
  const message = evaluate(failed.messageExpression);
  return typeof message === 'string' ? message : 'refused';
}

function valueOf(json: unknown): Value {
  if (json === undefined || json === null) return null;
  if (typeof json === 'number') return BigInt(json);
  if (typeof json === 'string' || typeof json === 'boolean') return json;
  if (Array.isArray(json)) return listOf(json.map(valueOf));
  const dict = dictOf(Object.entries(json).map(([key, value]): [Value, Value] => [key, valueOf(value)]));
  if (!isDict(dict)) throw new Error('it is no object');
  return dict;
}

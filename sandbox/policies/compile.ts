import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { compileExpression, type CompiledExpression, type Expression } from '../schema/cel/expression.ts';
import { patchTypeOf } from '../schema/cel/functions/patches.ts';
import { admissionFunctions, mutationFunctions } from '../schema/cel/library.ts';
import { EvaluationFault } from '../schema/cel/source.ts';
import {
  boolType,
  dynType,
  isSameType,
  nullType,
  stringType,
  typeText,
  type Type,
} from '../schema/cel/types.ts';
import type { Value } from '../schema/cel/values.ts';
import { namesOf, type Extent } from './environment.ts';
import type { Policy, PolicySpec, Validation } from './policy.ts';

/** The values of variables by name. */
export type Values = ReadonlyMap<string, Value>;

/** An expression that can be evaluated; without one, why not. */
export interface Step {
  text: string;
  /** Throws EvaluationFault. */
  evaluate: (values: Values) => Value;
  type: Type;
  fault: string | undefined;
}

/** The expressions that policies of both kinds have. */
export interface CompiledSpec {
  conditions: readonly { name: string; step: Step }[];
  variables: readonly { name: string; step: Step }[];
  /** What their other expressions can use. */
  extent: Extent;
}

/** The expressions of a validating policy. */
export interface CompiledPolicy extends CompiledSpec {
  validations: readonly { validation: Validation; step: Step; message: Step | undefined }[];
  annotations: readonly Step[];
}

function resultFault(allowed: readonly Type[]): (type: Type) => string | undefined {
  return (type) => {
    if (allowed.length === 0 || allowed.some((each) => isSameType(each, type))) return undefined;
    const names = allowed.map((each) => (each === nullType ? each.kind : typeText(each)));
    const wanted = names.length === 1 ? names.join('') : `one of [${names.join(' ')}]`;
    return `must evaluate to ${wanted} but got ${typeText(type)}`;
  };
}

/** Compiles an expression; without allowed types, of any type. */
export function compileStep(text: string, extent: Extent, allowed: readonly Type[]): Step {
  const names = namesOf(extent);
  const compiled: CompiledExpression = compileExpression(text, {
    names,
    ...(extent.patches === true
      ? { functions: mutationFunctions, messages: patchTypeOf }
      : { functions: admissionFunctions }),
    resultFault: resultFault(allowed),
  });
  const { expression, fault } = compiled;
  return {
    text,
    fault,
    type: expression?.type ?? dynType,
    evaluate: runner(expression, [...names.keys()], fault),
  };
}

function runner(
  expression: Expression | undefined,
  names: readonly string[],
  fault: string | undefined,
): Step['evaluate'] {
  if (expression === undefined)
    return () => {
      throw new EvaluationFault(`compilation error: ${fault ?? ''}`);
    };
  return (values) => expression.evaluate(names.map((name) => values.get(name)));
}

/** Only plain types, lists and maps of variables are known to later expressions. */
function knownType(type: Type): Type {
  return ['opaque', 'struct', 'type', 'param', 'error'].includes(type.kind) ? dynType : type;
}

const compiled = new WeakMap<Policy, CompiledPolicy>();

/** Compiles the expressions of a policy, and keeps the result with it. */
export function compilePolicy(policy: Policy): CompiledPolicy {
  let known = compiled.get(policy);
  if (known === undefined) compiled.set(policy, (known = compileSpec(policy.spec)));
  return known;
}

/** Compiles the conditions and variables of a policy. */
export function compileShared(spec: PolicySpec): CompiledSpec {
  const params = spec.paramKind !== undefined;
  const known = new Map<string, Type>();
  const hasVariables = (spec.variables ?? []).length > 0;
  const extent: Extent = { params, authorizer: true, variables: hasVariables ? known : undefined };
  const conditions = (spec.matchConditions ?? []).map(({ name = '', expression = '' }) => ({
    name,
    step: compileStep(expression.trim(), { ...extent, variables: undefined }, [boolType]),
  }));
  const variables = (spec.variables ?? []).map(({ name = '', expression = '' }) => {
    // A variable can use those before it.
    const step = compileStep(expression, { ...extent, variables: new Map(known) }, []);
    known.set(name, knownType(step.type));
    return { name, step };
  });
  return { conditions, variables, extent };
}

function compileSpec(spec: Policy['spec']): CompiledPolicy {
  const shared = compileShared(spec);
  const { extent } = shared;
  return {
    ...shared,
    validations: (spec.validations ?? []).map((validation) => {
      const { expression = '', messageExpression = '' } = validation;
      return {
        validation,
        step: compileStep(expression, extent, [boolType]),
        message:
          messageExpression.trim() === ''
            ? undefined
            : compileStep(messageExpression, { ...extent, authorizer: false }, [stringType]),
      };
    }),
    annotations: (spec.auditAnnotations ?? []).map(({ valueExpression = '' }) =>
      compileStep(valueExpression.trim(), extent, [stringType, nullType]),
    ),
  };
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

function checkStep(path: string, step: Step | undefined): FieldError[] {
  if (step === undefined) return [];
  return step.fault === undefined ? [] : [field.invalid(path, step.text, step.fault)];
}

const isBlank = (step: Step) => step.text.trim() === '';

/** The errors of an expression that must be there. `why`: why it must. */
export const checkRequired = (path: string, step: Step, why = ''): FieldError[] =>
  isBlank(step) ? [field.required(path, why)] : checkStep(path, step);

/** The errors in the conditions and variables of a policy, with the API server's messages. */
export function checkShared({ conditions, variables }: CompiledSpec): FieldError[] {
  return [
    ...conditions.flatMap(({ name, step }, index) => {
      const path = `spec.matchConditions[${index}]`;
      return [
        ...checkRequired(`${path}.expression`, step),
        ...(name === '' ? [field.required(`${path}.name`)] : []),
      ];
    }),
    ...variables.flatMap(({ name, step }, index) => {
      const path = `spec.variables[${index}]`;
      return [
        ...(name.trim() === ''
          ? [field.required(`${path}.name`, 'name is not specified')]
          : identifier.test(name)
            ? []
            : [field.invalid(`${path}.name`, name, 'must be a valid CEL identifier')]),
        ...checkRequired(`${path}.expression`, step, 'expression is not specified'),
      ];
    }),
  ];
}

/** The errors in the expressions of a validating policy, with the API server's messages. */
export function checkExpressions(spec: Policy['spec']): FieldError[] {
  const expressions = compileSpec(spec);
  const { validations, annotations } = expressions;
  return [
    ...checkShared(expressions),
    ...validations.flatMap(({ step, message }, index) => {
      const path = `spec.validations[${index}]`;
      return [
        ...checkRequired(`${path}.expression`, step, 'expression is not specified'),
        ...checkStep(`${path}.messageExpression`, message),
      ];
    }),
    ...annotations.flatMap((step, index) =>
      checkRequired(
        `spec.auditAnnotations[${index}].valueExpression`,
        step,
        'valueExpression is not specified',
      ),
    ),
  ];
}

/** The errors in the match conditions of a webhook, with the API server's messages. */
export function checkMatchConditions(path: string, conditions: unknown): FieldError[] {
  const extent: Extent = { params: false, authorizer: true, variables: undefined };
  const names = new Set<string>();
  return ((conditions ?? []) as readonly { name?: string; expression?: string }[]).flatMap(
    ({ name = '', expression = '' }, index) => {
      const own = `${path}[${index}]`;
      const isTwice = name !== '' && names.has(name);
      names.add(name);
      return [
        ...checkRequired(`${own}.expression`, compileStep(expression.trim(), extent, [boolType])),
        ...(name === '' ? [field.required(`${own}.name`)] : []),
        ...(isTwice ? [field.duplicate(`${own}.name`, name)] : []),
      ];
    },
  );
}

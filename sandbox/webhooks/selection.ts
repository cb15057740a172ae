import { refuse } from '../api/errors.ts';
import { compileStep } from '../policies/compile.ts';
import type { AdmissionSources } from '../policies/invocations.ts';
import { valuesOf } from '../policies/environment.ts';
import { aggregated, conditionsHold } from '../policies/evaluate.ts';
import { matched } from '../policies/match.ts';
import type { AdmittedWrite } from '../policies/write.ts';
import { boolType } from '../schema/cel/types.ts';
import type { Hook, Webhook } from './webhook.ts';

const extent = { params: false, authorizer: true, variables: undefined };

type Conditions = Parameters<typeof conditionsHold>[0]['conditions'];

const compiled = new WeakMap<Webhook, Conditions>();

/** The compiled match conditions of a webhook, which are kept with it. */
function conditionsOf(webhook: Webhook): Conditions {
  let known = compiled.get(webhook);
  if (known === undefined) {
    known = (webhook.matchConditions ?? []).map(({ name = '', expression = '' }) => ({
      name,
      step: compileStep(expression.trim(), extent, [boolType]),
    }));
    compiled.set(webhook, known);
  }
  return known;
}

/**
 * The write in the version in which the webhook sees it; undefined if the webhook is not called for it. 403 if its
 * match conditions fail, unless its failure policy is Ignore.
 */
export function calledWith(
  { webhook }: Hook,
  write: AdmittedWrite,
  sources: AdmissionSources,
): AdmittedWrite | undefined {
  const { rules = [], namespaceSelector = {}, objectSelector = {}, matchPolicy = 'Equivalent' } = webhook;
  if (rules.length === 0) return undefined;
  const match = { resourceRules: rules, namespaceSelector, objectSelector, matchPolicy };
  const seen = matched(match, write, sources.related);
  const conditions = conditionsOf(webhook);
  if (seen === undefined || conditions.length === 0) return seen;
  const { holds, faults } = conditionsHold({ conditions }, valuesOf(write, seen, sources));
  if (faults.length > 0 && webhook.failurePolicy !== 'Ignore')
    throw refuse.forbidden(write.served.type, write.name, aggregated(faults));
  return holds ? seen : undefined;
}

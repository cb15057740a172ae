import { isAbsolute } from 'node:path';
import type { Webhook } from '../../schemas/generated/types/runtimeconfig.ts';
import type { AddressRules } from '../check/addresses.ts';
import { type Problem, problem, urlProblems } from '../check/rules.ts';
import { argumentsIn } from '../check/template.ts';

interface WebhookRule {
  /** The only fields that the rule reads. */
  reads: readonly (keyof Webhook)[];
  problems(webhook: Webhook, addresses: AddressRules): Problem[];
}

/** The rules for the webhook that a schema cannot express. */
export const webhookRules: readonly WebhookRule[] = [
  {
    reads: ['url'],
    problems({ url }, addresses) {
      const [placeholder] = argumentsIn(url);
      return placeholder === undefined
        ? urlProblems(['url'], url, addresses)
        : problem(['url'], `must have no placeholder: {${placeholder}}`);
    },
  },
  {
    reads: ['secretFile'],
    problems: ({ secretFile }) =>
      problem(
        ['secretFile'],
        secretFile === undefined || isAbsolute(secretFile) ? undefined : 'must be an absolute path',
      ),
  },
  {
    reads: ['secretFile', 'format'],
    problems: ({ secretFile, format }) =>
      problem(
        ['secretFile'],
        secretFile === undefined && format !== 'Text'
          ? 'is required: without a signature anybody could send such an event'
          : undefined,
      ),
  },
];

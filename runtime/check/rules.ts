import type { Bounds, Check, HttpCheck } from '../../schemas/generated/types/runtimeconfig.ts';
import { isBuiltInCheck } from '../../semantics/plan/checks.ts';
import { formatDuration, parseDuration } from '../../semantics/values/duration.ts';
import type { AddressRules } from './addresses.ts';
import { isBounded, isPossible } from './bounds.ts';
import { readWholePattern } from './pattern.ts';
import { parseQuery } from './query.ts';
import { argumentsIn, isArgumentName, NAMESPACE } from './template.ts';
import { addressIn, parseUrl } from './url.ts';

/** A problem of a check: its path within the check, and a sentence about it. */
export interface Problem {
  path: string[];
  message: string;
}

/** Shortest and longest interval, milliseconds: a step fails after 10 min without an answer, so several must fit in. */
const minIntervalMs = 5_000;
const maxIntervalMs = 5 * 60_000;

/** Headers that the runtime sets itself, that change the framing of the response, or that keep state. */
const ownHeaders =
  /^(accept|accept-encoding|connection|content-length|content-type|cookie2?|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

interface CheckRule {
  /** The only fields that the rule reads. */
  reads: readonly (keyof Check)[];
  problems(check: Check, addresses: AddressRules): Problem[];
}

/** The rules for one check that a schema cannot express. */
export const checkRules: readonly CheckRule[] = [
  { reads: ['name'], problems: ({ name }) => nameProblems(name) },
  {
    reads: ['http'],
    problems: ({ http }, addresses) =>
      http === undefined
        ? []
        : [
            ...urlProblems(['http', 'url'], http.url, addresses),
            ...headerProblems(http),
            ...recipientProblems(http),
          ],
  },
  {
    reads: ['prometheus'],
    problems: ({ prometheus }, addresses) => {
      if (prometheus === undefined) return [];
      const parsed = parseQuery(prometheus.query);
      return [
        ...addressProblems(prometheus.address, addresses),
        ...problem(['prometheus', 'query'], 'problem' in parsed ? parsed.problem : undefined),
      ];
    },
  },
  { reads: ['http', 'prometheus', 'pass'], problems: boundProblems },
  { reads: ['interval'], problems: ({ interval }) => problem(['interval'], intervalProblem(interval)) },
  { reads: ['args'], problems: patternProblems },
  { reads: ['args', 'http', 'prometheus'], problems: placeholderProblems },
];

export function problem(path: string[], message: string | undefined): Problem[] {
  return message === undefined ? [] : [{ path, message }];
}

function nameProblems(name: string): Problem[] {
  return problem(
    ['name'],
    isBuiltInCheck(name) ? `${name} is built in; a check needs another name` : undefined,
  );
}

export function urlProblems(path: string[], url: string, addresses: AddressRules): Problem[] {
  const parsed = parseUrl(url);
  if ('problem' in parsed) return problem(path, parsed.problem);
  const address = addressIn(parsed.template);
  const kind = address === undefined ? undefined : addresses.refused(address);
  return problem(
    path,
    kind === undefined ? undefined : `has ${kind} as its host; list it in addresses to allow it`,
  );
}

function addressProblems(address: string, addresses: AddressRules): Problem[] {
  const path = ['prometheus', 'address'];
  if (argumentsIn(address).length > 0) return problem(path, 'must have no placeholder');
  if (address.includes('?')) return problem(path, 'must have no query');
  return urlProblems(path, address, addresses);
}

function headerProblems({ headers = {}, json }: HttpCheck): Problem[] {
  const found = Object.entries(headers).flatMap(([name, value]) =>
    problem(['http', 'headers', name], headerProblem(name, value)),
  );
  const known = new Set<string>();
  for (const name of Object.keys(headers)) {
    const lower = name.toLowerCase();
    if (known.has(lower)) found.push({ path: ['http', 'headers', name], message: 'is set twice' });
    known.add(lower);
  }
  const placeholder = json === undefined ? undefined : argumentsIn(json)[0];
  const misplaced = placeholder === undefined ? undefined : `must have no placeholder: {${placeholder}}`;
  return [...found, ...problem(['http', 'json'], misplaced)];
}

/**
 * Headers hold credentials, and a plan chooses its arguments and its namespace: with both, a plan would choose the host that
 * receives the credentials.
 */
function recipientProblems({ url, headers = {} }: HttpCheck): Problem[] {
  const parsed = parseUrl(url);
  if ('problem' in parsed || Object.keys(headers).length === 0) return [];
  const placeholder = parsed.template.host.find((piece) => typeof piece !== 'string');
  if (placeholder === undefined) return [];
  const message =
    `would be sent to a host that a plan chooses, because {${placeholder.arg}} is part of the host in http.url: ` +
    'write the host in full, or remove the headers';
  return problem(['http', 'headers'], message);
}

function headerProblem(name: string, value: string): string | undefined {
  if (!/^[-!#$%&'*+.^_`|~A-Za-z0-9]{1,128}$/.test(name)) return 'is not a valid header name';
  if (ownHeaders.test(name)) return 'is a header that a check cannot set';
  if (!/^[\t -~]*$/.test(value)) return 'must be printable ASCII';
  const [placeholder] = argumentsIn(value);
  return placeholder === undefined ? undefined : `must have no placeholder: {${placeholder}}`;
}

function boundProblems({ http, prometheus, pass }: Check): Problem[] {
  const compares = prometheus !== undefined || http?.json !== undefined;
  if (compares && !isBounded(pass)) {
    return problem(['pass'], 'needs a bound for the number: below, above, atMost or atLeast');
  }
  if (!compares && http !== undefined && isBounded(pass)) {
    return problem(['pass'], 'has a bound, but no number to compare; set http.json, or remove the bound');
  }
  return problem(['pass'], isPossible(pass ?? noBounds) ? undefined : 'has bounds that no number satisfies');
}

const noBounds: Bounds = {};

function intervalProblem(interval: string | undefined): string | undefined {
  if (interval === undefined) return undefined;
  const ms = parseDuration(interval);
  if (ms !== undefined && ms >= minIntervalMs && ms <= maxIntervalMs) return undefined;
  return `must be from ${formatDuration(minIntervalMs)} to ${formatDuration(maxIntervalMs)}`;
}

function patternProblems({ args = {} }: Check): Problem[] {
  return Object.entries(args).flatMap(([name, { pattern }]) => {
    if (name === NAMESPACE) return problem(['args', name], 'is always the namespace of the plan; remove it');
    if (!isArgumentName(name)) {
      return problem(['args', name], 'is not a valid argument name: a letter, then letters, digits and _');
    }
    const broken = pattern !== undefined && 'problem' in readWholePattern(pattern);
    return problem(
      ['args', name, 'pattern'],
      broken ? 'is not a regular expression as Go reads it (RE2)' : undefined,
    );
  });
}

function placeholderProblems({ http, prometheus, args = {} }: Check): Problem[] {
  const texts = [
    { path: ['http', 'url'], used: argumentsIn(http?.url ?? '') },
    { path: ['prometheus', 'query'], used: argumentsIn(prometheus?.query ?? '') },
  ];
  const used = new Set(texts.flatMap((text) => text.used));
  const undeclared = texts.flatMap(({ path, used: names }) =>
    names
      .filter((name) => name !== NAMESPACE && !Object.hasOwn(args, name))
      .map((name) => ({ path, message: `uses {${name}}, which args does not declare` })),
  );
  const unused = Object.keys(args)
    .filter((name) => isArgumentName(name) && name !== NAMESPACE && !used.has(name))
    .map((name) => ({ path: ['args', name], message: 'is used by no placeholder' }));
  return [...undeclared, ...unused];
}

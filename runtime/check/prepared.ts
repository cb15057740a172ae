import type { Check } from '../../schemas/generated/types/runtimeconfig.ts';
import { parseDuration } from '../../semantics/values/duration.ts';
import { judgeHttp, judgePrometheus } from './answer.ts';
import type { CheckJudgment } from './answer.ts';
import { argumentsRefusal } from './arguments.ts';
import type { GetAnswer } from './get.ts';
import { fillQuery, parseQuery } from './query.ts';
import { NAMESPACE } from './template.ts';
import type { Values } from './template.ts';
import { encode, fillUrl, parseUrl } from './url.ts';
import { withoutTrailing } from '../../semantics/values/text.ts';

/** The default of `interval`. */
const defaultInterval = '30s';

/** A check of the configuration, parsed for requests. */
export interface PreparedCheck {
  intervalMs: number;
  /** Failing answers in a row that fail the check. */
  failures: number;
  headers: Readonly<Record<string, string>>;
  /** The URL for the arguments of a plan, or why they are refused, as a sentence. */
  urlFor(args: Readonly<Record<string, string>>, namespace: string): { url: string } | { refusal: string };
  judge(got: GetAnswer): CheckJudgment;
}

/** @param check of a configuration that `readRuntimeConfig` accepted */
export function prepareCheck(check: Check): PreparedCheck {
  const { http, prometheus, pass = {} } = check;
  const urlOf = http === undefined ? prometheusUrls(prometheus) : httpUrls(http.url);
  return {
    intervalMs: parseDuration(check.interval ?? defaultInterval) ?? bad(),
    failures: check.failures ?? 1,
    headers: http?.headers ?? {},
    urlFor(args, namespace) {
      const refusal = argumentsRefusal(check, args);
      if (refusal !== undefined) return { refusal };
      const url = urlOf(new Map([...Object.entries(args), [NAMESPACE, namespace]]));
      return 'url' in url ? url : { refusal: `${url.refusal} (check ${check.name})` };
    },
    judge: (got) => (http === undefined ? judgePrometheus(got, pass) : judgeHttp(got, http.json, pass)),
  };
}

type UrlFor = (values: Values) => { url: string } | { refusal: string };

function httpUrls(url: string): UrlFor {
  const parsed = parseUrl(url);
  return 'problem' in parsed ? bad() : (values) => fillUrl(parsed.template, values);
}

function prometheusUrls(
  { address, query }: NonNullable<Check['prometheus']> = { address: '', query: '' },
): UrlFor {
  const parsed = parseUrl(address);
  const parsedQuery = parseQuery(query);
  if ('problem' in parsed || 'problem' in parsedQuery) return bad();
  const { scheme, host, port, path } = parsed.template;
  const text = [...host, port, ...path].filter((piece) => typeof piece === 'string').join('');
  const api = `${scheme}${withoutTrailing(text, '/')}/api/v1/query?query=`;
  return (values) => {
    const filled = fillQuery(parsedQuery.pieces, values);
    return 'query' in filled ? { url: api + encode(filled.query) } : filled;
  };
}

function bad(): never {
  throw new Error('the check was not validated by readRuntimeConfig');
}

import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { timestamp } from '../../semantics/values/timestamp.ts';

const DAY_MS = 24 * 3_600_000;
/** How much of its names is shown, characters. */
const MOST_NAMES = 200;
const SECRET = 'the Secret kruise-admission-tls';

/** What API servers verify of a certificate. */
export interface Validity {
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  /** Whom it is for, as it says. */
  names: string;
  isFor(host: string): boolean;
}

/**
 * Reads a certificate; of a chain the first.
 *
 * @param cert PEM
 */
export function validityOf(cert: string): Validity {
  const read = new X509Certificate(cert);
  return {
    from: Date.parse(read.validFrom),
    to: Date.parse(read.validTo),
    names: read.subjectAltName ?? 'no name',
    // As Go verifies: the common name does not count, nor a part of a label.
    isFor: (host) =>
      (isIP(host) === 0
        ? read.checkHost(host, { subject: 'never', partialWildcards: false })
        : read.checkIP(host)) !== undefined,
  };
}

/**
 * Why API servers do not trust a certificate, as a sentence part with what to do; undefined: they may.
 *
 * @param host the name by which they ask; undefined: it is not known
 */
export function certificateProblem(
  { from, to, names, isFor }: Validity,
  folder: string,
  host: string | undefined,
  now: number,
): string | undefined {
  const what = `the certificate in ${folder}`;
  if (now >= to) return `${what} has expired on ${timestamp(to)}: renew ${SECRET}`;
  if (now < from)
    return `${what} is not valid before ${timestamp(from)}: check the clock of the node, or renew ${SECRET}`;
  if (host !== undefined && !isFor(host))
    return (
      `${what} is for ${names.slice(0, MOST_NAMES)}, not for ${host}, by which API servers ask: ` +
      `issue ${SECRET} for that name as a subjectAltName, or name another with --admission-host`
    );
  return undefined;
}

/**
 * That a certificate expires soon: within 30 days, then within 7; of one that lives shorter, within a quarter and a tenth of its life.
 * Undefined: it does not.
 */
export function expiryNotice({ from, to }: Validity, folder: string, now: number): string | undefined {
  const bounds = [Math.min(7 * DAY_MS, (to - from) / 10), Math.min(30 * DAY_MS, (to - from) / 4)];
  const within = bounds.find((each) => to - now <= each);
  if (within === undefined) return undefined;
  const days = Math.max(1, Math.round(within / DAY_MS));
  return `the certificate in ${folder} expires on ${timestamp(to)}, within ${days} ${days === 1 ? 'day' : 'days'}: renew ${SECRET}`;
}

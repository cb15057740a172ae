import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../../schemas/wire/clock.ts';
import { reasonOf } from '../api/file-reason.ts';
import { certificateProblem, expiryNotice, type Validity, validityOf } from './certificate-problem.ts';

/** A certificate with its key, and whom it serves, all as PEM. */
export interface Certificate {
  cert: string;
  key: string;
  /** The authorities of the certificates that clients must have. Default: they need none. */
  clientCa?: string | undefined;
}

/** How often the files are read again, milliseconds. A mounted Secret is replaced as a whole, by a link. */
const READ_MS = 10_000;

export interface CertificateFiles {
  /** Undefined: there is none that can be used yet. */
  readonly current: Certificate | undefined;
  /** Why API servers do not trust the certificate in use, or why there is none, as a sentence part; undefined: they may. */
  readonly problem: string | undefined;
  /** What is to be done although there is no problem: the certificate expires soon, or the one after it cannot be used. */
  readonly notice: string | undefined;
  /** When the certificate in use expires, milliseconds since 1970. */
  readonly expires: number | undefined;
  stop(): void;
}

interface Usable {
  certificate: Certificate;
  validity: Validity;
}

/**
 * Watches the files `tls.crt` and `tls.key` of a folder, as a Secret of the type `kubernetes.io/tls` is mounted. Files that do not
 * fit each other, or that API servers would not trust, are left alone while those before are trusted. The first ones are used all the
 * same: API servers verify by their own clocks.
 *
 * @param host the name by which API servers ask; undefined: any
 * @param clientCa the file with the authorities of clients, without which nothing is served. Default: clients need no certificate
 * @param onChange receives each certificate that is used, the first one too
 * @param onProblem is called when the problem or the notice changes
 */
export function watchCertificate(options: {
  folder: string;
  host: string | undefined;
  clientCa?: string | undefined;
  clock: Clock;
  onChange(certificate: Certificate): void;
  onProblem(problem: string): void;
}): CertificateFiles {
  const { folder, host, clientCa, clock, onChange, onProblem } = options;
  let used: Usable | undefined;
  /** What is in the files now. */
  let found: Found = { seen: '' };
  let told: string | undefined;
  let cancel = (): void => {};

  const problemOf = ({ validity }: Usable): string | undefined =>
    certificateProblem(validity, folder, host, clock.now());

  function problem(): string | undefined {
    return used === undefined ? found.problem : problemOf(used);
  }

  function notice(): string | undefined {
    if (used === undefined) return undefined;
    const { usable, problem: unusable = usable && usable !== used ? problemOf(usable) : undefined } = found;
    return unusable === undefined
      ? expiryNotice(used.validity, folder, clock.now())
      : `${unusable}; the one before stays in use`;
  }

  function look(): void {
    cancel = clock.after(READ_MS, look);
    found = read(folder, clientCa, found);
    const { usable } = found;
    const isBetter = (than: Usable, each: Usable): boolean =>
      problemOf(each) === undefined || problemOf(than) !== undefined;
    if (usable !== undefined && usable !== used && (used === undefined || isBetter(used, usable))) {
      used = usable;
      onChange(usable.certificate);
    }
    const text = problem() ?? notice();
    if (text !== undefined && text !== told) onProblem(text);
    told = text;
  }

  look();
  return {
    get current() {
      return used?.certificate;
    },
    get problem() {
      return problem();
    },
    get notice() {
      return notice();
    },
    get expires() {
      return used?.validity.to;
    },
    stop: () => cancel(),
  };
}

/** The files of a folder. `seen` is equal where they are. */
interface Found {
  seen: string;
  usable?: Usable;
  problem?: string;
}

function read(folder: string, clientFile: string | undefined, before: Found): Found {
  const authorities = clientFile === undefined ? { text: undefined } : readAuthorities(clientFile);
  if ('problem' in authorities) return { seen: authorities.problem, problem: authorities.problem };
  const clientCa = authorities.text;
  try {
    const cert = readFileSync(join(folder, 'tls.crt'), 'utf8');
    const key = readFileSync(join(folder, 'tls.key'), 'utf8');
    const seen = createHash('sha256')
      .update(cert)
      .update(key)
      .update(clientCa ?? '')
      .digest('hex');
    if (seen === before.seen) return before;
    try {
      createSecureContext({ cert, key });
      return { seen, usable: { certificate: { cert, key, clientCa }, validity: validityOf(cert) } };
    } catch (error) {
      // The text of the library may quote the files.
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'not readable';
      return { seen, problem: `tls.crt and tls.key of ${folder} do not fit each other (${code})` };
    }
  } catch (error) {
    const problem = `tls.crt and tls.key of ${folder} cannot be read: ${reasonOf(error)}`;
    return { seen: problem, problem };
  }
}

/** A file without any certificate would let no client in, and would not say so. */
function readAuthorities(file: string): { text: string } | { problem: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { problem: `${file} cannot be read: ${reasonOf(error)}` };
  }
  try {
    validityOf(text);
    return { text };
  } catch {
    return { problem: `${file} is no certificate in PEM` };
  }
}

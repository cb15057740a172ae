/**
 * The name by which runtimes list an image: `nginx` and `docker.io/nginx` → `docker.io/library/nginx:latest`. The port of a registry is not
 * a tag.
 */
export function fullImageName(image: string): string {
  const [name = '', digest] = image.split('@');
  const slash = name.lastIndexOf('/');
  const tagged = digest !== undefined || name.includes(':', slash + 1) ? image : `${image}:latest`;
  const first = tagged.slice(0, Math.max(tagged.indexOf('/'), 0));
  const hub = HUB.find((each) => each === first);
  const hasRegistry = /[.:]/.test(first) || first === 'localhost';
  if (hub === undefined && hasRegistry) return tagged;
  const path = hub === undefined ? tagged : tagged.slice(hub.length + 1);
  return path.includes('/') ? `docker.io/${path}` : `docker.io/library/${path}`;
}

/** Names of Docker Hub, which runtimes list by the first. */
const HUB = ['docker.io', 'index.docker.io'];

/** An image as it is named. */
export interface ImageParts {
  /** With the registry, as runtimes list it; without tag and digest. */
  repository: string;
  /** The name without digest, as it is written. */
  tagged: string;
  /** The name without tag and digest, as it is written. */
  name: string;
  /** With its algorithm; undefined: it has none. */
  digest: string | undefined;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The parts of the name of an image. What is no digest of SHA-256 is none. */
export function imageParts(image: string): ImageParts {
  const at = image.indexOf('@');
  const tagged = at === -1 ? image : image.slice(0, at);
  const colon = tagged.indexOf(':', tagged.lastIndexOf('/') + 1);
  const name = colon === -1 ? tagged : tagged.slice(0, colon);
  const full = fullImageName(`${name}:x`);
  const digest = at === -1 ? undefined : image.slice(at + 1);
  return {
    repository: full.slice(0, -2),
    tagged,
    name,
    digest: digest !== undefined && DIGEST.test(digest) ? digest : undefined,
  };
}

/** The id by which a runtime reports an image, without the scheme of older runtimes. */
export function plainImageId(imageID: string): string {
  const scheme = imageID.indexOf('://');
  return scheme === -1 ? imageID : imageID.slice(scheme + 3);
}

/** The most characters of a name of an image, with registry, tag and digest. No runtime pulls a longer one. */
export const LONGEST_IMAGE = 1024;

/** The most characters of a name without tag and digest. */
const LONGEST_REPOSITORY = 255;
const PATH = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const ADDRESS = /^\[[0-9A-Fa-f:]+\]$/;
const PORT = /^[0-9]+$/;
/** Of an image, and no name. */
const IDENTIFIER = /^[0-9a-f]{64}$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const DIGESTS = [DIGEST, /^sha384:[0-9a-f]{96}$/, /^sha512:[0-9a-f]{128}$/];

/**
 * Whether runtimes read a text as the name of an image: `[registry/]path[:tag][@digest]`, where a path has no capitals (the grammar of
 * references of the CNCF's distribution).
 */
export function isImageName(text: string): boolean {
  if (text.length > LONGEST_IMAGE || IDENTIFIER.test(text)) return false;
  const { tagged, name } = imageParts(text);
  const [digest, tag] = [text.slice(tagged.length + 1), tagged.slice(name.length + 1)];
  const hasDigest = text.length > tagged.length;
  const hasTag = tagged.length > name.length;
  const [first = '', ...others] = name.split('/');
  const isRegistry = others.length > 0 && (/[.:A-Z]/.test(first) || first === 'localhost');
  return (
    name.length <= LONGEST_REPOSITORY &&
    (isRegistry ? isRegistryName(first) : PATH.test(first)) &&
    others.every((part) => PATH.test(part)) &&
    (!hasTag || isTag(tag)) &&
    (!hasDigest || isDigest(digest))
  );
}

/** Whether a text may follow the colon of a name. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** Whether a text may follow the `@` of a name. */
export function isDigest(text: string): boolean {
  return DIGESTS.some((each) => each.test(text));
}

function isRegistryName(text: string): boolean {
  const end = text.lastIndexOf(':');
  const hasPort = end > text.lastIndexOf(']');
  const host = hasPort ? text.slice(0, end) : text;
  const isHost = ADDRESS.test(host) || host.split('.').every((label) => HOST.test(label));
  return isHost && (!hasPort || PORT.test(text.slice(end + 1)));
}

/**
 * Whether a name is another spelling of an image, with a digest: of the same repository, with the digest of the image if it names one,
 * otherwise with its tag or none.
 *
 * Example: `web@sha256:…` of `web:1`, and not `web:2@sha256:…`.
 */
export function isSpellingOf(spelled: string, image: string): boolean {
  if (Math.max(spelled.length, image.length) > LONGEST_IMAGE) return false;
  const [own, other] = [imageParts(spelled), imageParts(image)];
  if (own.digest === undefined || own.repository !== other.repository) return false;
  if (image.includes('@')) return own.digest === other.digest;
  return own.tagged === own.name || fullImageName(own.tagged) === fullImageName(image);
}

/** Whether an image is named by its digest, and a runtime reports that as what runs. */
export function isDigestOf(image: string, imageID: string | undefined): boolean {
  const { digest, repository } = imageParts(image);
  if (digest === undefined || imageID === undefined) return false;
  const running = imageParts(plainImageId(imageID));
  return running.digest === digest && running.repository === repository;
}

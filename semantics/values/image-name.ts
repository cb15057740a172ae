/** The name by which runtimes list an image: `nginx` → `docker.io/library/nginx:latest`. The port of a registry is not a tag. */
export function fullImageName(image: string): string {
  const [name = '', digest] = image.split('@');
  const slash = name.lastIndexOf('/');
  const tagged = digest !== undefined || name.includes(':', slash + 1) ? image : `${image}:latest`;
  const first = tagged.split('/')[0] ?? '';
  const hasRegistry = tagged.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  if (hasRegistry) return tagged;
  return tagged.includes('/') ? `docker.io/${tagged}` : `docker.io/library/${tagged}`;
}

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

/** Whether an image is named by its digest, and a runtime reports that as what runs. */
export function isDigestOf(image: string, imageID: string | undefined): boolean {
  const { digest, repository } = imageParts(image);
  if (digest === undefined || imageID === undefined) return false;
  const running = imageParts(plainImageId(imageID));
  return running.digest === digest && running.repository === repository;
}

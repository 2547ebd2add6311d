// A volume from any side: turned by the mouse, seen from so far away that what is near is a little larger.
const far = 3.2, steepest = Math.PI / 2;

export class Orbit {
  turn = -0.6; tilt = 0.45; zoom = 1; x = 0; y = 0; width = 0; height = 0; ratio = 1; size = [1, 1, 1];

  resize(width, height, ratio) { Object.assign(this, { width, height, ratio }); }
  grid(size) { this.size = size; }
  fit() { Object.assign(this, { turn: -0.6, tilt: 0.45, zoom: 1, x: 0, y: 0 }); }
  turnBy(dx, dy) { this.turn += dx / 200, this.tilt = Math.max(-steepest, Math.min(steepest, this.tilt + dy / 200)); }
  move(dx, dy) { this.x += dx, this.y += dy; }
  zoomBy(factor) { this.zoom = Math.max(0.3, Math.min(40, this.zoom * factor)); }

  // From places of the grid to the canvas: what `at` of a place comes to, and how many pixels of the canvas a place is there.
  projection() {
    const [nx, ny, nz] = this.size, half = Math.hypot(nx, ny, nz) / 2, room = Math.min(this.width, this.height);
    const cosTurn = Math.cos(this.turn), sinTurn = Math.sin(this.turn), cosTilt = Math.cos(this.tilt), sinTilt = Math.sin(this.tilt);
    const cx = this.width / 2 + this.x, cy = this.height / 2 + this.y, scale = room * 0.66 * this.zoom * (far - 1) / far;
    return (x, y, z, to) => {
      const px = (x - nx / 2) / half, py = (y - ny / 2) / half, pz = (z - nz / 2) / half;
      const right = px * cosTurn - py * sinTurn, back = px * sinTurn + py * cosTurn;
      const up = pz * cosTilt + back * sinTilt, away = back * cosTilt - pz * sinTilt, near = scale * far / (far + away);
      to.x = cx + right * near, to.y = cy - up * near, to.away = away, to.place = near / half;
      return to;
    };
  }
  // The edges of the grid, as pairs of corners.
  edges() {
    const [nx, ny, nz] = this.size, found = [];
    for (let corner = 0; corner < 8; corner++)
      for (const axis of [0, 1, 2])
        if (!(corner >> axis & 1)) found.push([corner, corner | 1 << axis].map(at => [at & 1 ? nx : 0, at & 2 ? ny : 0, at & 4 ? nz : 0]));
    return found;
  }
}

"""What figures for teaching show: how a bound climbs, a posterior with two equal modes."""
